/** The offset after a character, or after what a mark at it encloses. Undefined: it may still be closed. */
export function skipMark(text: string, at: number): number | undefined {
  const mark = /^(?:`+|\*+|_+|~~|\\[([]?|\[|<(?=[a-z/!?])|\$(?!\d))/i.exec(text.slice(at, at + 20))?.[0];
  if (mark === undefined) return at + 1;
  const inside = at + mark.length;
  const next = text[inside];
  if (next === undefined) return undefined;
  if (mark === '\\') return inside + 1;
  if (mark === '[') return skipLink(text, inside);
  if (mark === '<') return after(text, '>', inside);
  if (mark.startsWith('\\')) return after(text, mark === '\\(' ? '\\)' : '\\]', inside);
  if (mark.startsWith('`')) return after(text, mark, inside);
  const isText = /\s/.test(next) || (mark.startsWith('_') && /\w/.test(text[at - 1] ?? ''));
  return isText ? inside : after(text, mark, inside);
}

/** Brackets are a link if parentheses follow. */
function skipLink(text: string, inside: number): number | undefined {
  const end = after(text, ']', inside);
  if (end === undefined || text[end] === undefined) return undefined;
  return text[end] === '(' ? after(text, ')', end) : end;
}

function after(text: string, mark: string, from: number): number | undefined {
  const at = text.indexOf(mark, from);
  return at < 0 ? undefined : at + mark.length;
}
