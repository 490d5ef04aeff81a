import type { Language } from '../changes/language.ts';
import type { Token } from '../changes/token.ts';
import { normalize } from './normalizers.ts';

/** The indentation of each line that has a meaning. */
export function toIndents(tokens: readonly Token[], language: Language): number[] {
  const plain = normalize(tokens, language);
  return plain.filter((_, at) => startsLine(plain, at)).map(({ indent }) => indent);
}

function startsLine(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (!before || before.kind === 'line') return true;
  return before.text === ':' && before.lastLine < tokens[at]!.line;
}

/** True if the lines of both sides are nested alike: each width of indentation has exactly one counterpart. */
export function hasSameStructure(before: readonly Token[], after: readonly Token[], language: Language): boolean {
  const a = normalize(before, language);
  const b = normalize(after, language);
  const there = new Map<number, number>();
  const back = new Map<number, number>();
  return a.every(({ indent }, at) => {
    if (!startsLine(a, at) || !startsLine(b, at)) return true;
    const other = b[at]!.indent;
    if ((there.get(indent) ?? other) !== other || (back.get(other) ?? indent) !== indent) return false;
    there.set(indent, other);
    back.set(other, indent);
    return true;
  });
}
