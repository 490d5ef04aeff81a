/** Characters of a terminal's output with how they look. Colours are numbers of the 16-colour palette. */
export interface Span {
  text: string;
  color?: number;
  background?: number;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
}

type Look = Omit<Span, 'text'>;

/** What a terminal does not show: titles, cursor moves, and whatever else begins with an escape. */
const SEQUENCE =
  /\u001b(?:\[([0-9;:?<=>!]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~]|$)/g;

/**
 * A program's output as spans: colours of SGR sequences, carriage returns and backspaces as a terminal would show
 * them. Other sequences are left out.
 */
export function toSpans(output: string): Span[] {
  const text = overwrite(output);
  const spans: Span[] = [];
  let look: Look = {};
  let from = 0;
  const add = (to: number) => {
    const part = text.slice(from, to).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
    if (part !== '') spans.push({ text: part, ...look });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = apply(look, match[1] ?? '');
  }
  add(text.length);
  return spans;
}

/** Without any sequence. */
export function toPlainText(output: string): string {
  return toSpans(output)
    .map(({ text }) => text)
    .join('');
}

/** What a carriage return leaves of a line: the newest of what was drawn over itself, as progress bars do. */
function overwrite(output: string): string {
  if (!output.includes('\r')) return output;
  return output
    .split('\n')
    .map((line) => {
      const drawn = line.replace(/\r+$/, '');
      const at = drawn.lastIndexOf('\r');
      return at < 0 ? drawn : drawn.slice(at + 1);
    })
    .join('\n');
}

function apply(look: Look, words: string): Look {
  const codes = words.split(/[;:]/).map((word) => (word === '' ? 0 : Number(word)));
  let next: Look = { ...look };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const { color, used } = toExtended(codes.slice(at + 1));
      at += used;
      if (color !== undefined) next = { ...next, [code === 38 ? 'color' : 'background']: color };
    } else next = applyOne(next, code);
  }
  return next;
}

function applyOne(look: Look, code: number): Look {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 22) return omit(look, 'bold', 'dim');
  if (code === 23) return omit(look, 'italic');
  if (code === 24) return omit(look, 'underline');
  if (code === 39) return omit(look, 'color');
  if (code === 49) return omit(look, 'background');
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, color: code - 82 };
  if (code >= 40 && code <= 47) return { ...look, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, background: code - 92 };
  return look;
}

function omit(look: Look, ...keys: (keyof Look)[]): Look {
  return Object.fromEntries(Object.entries(look).filter(([key]) => !keys.includes(key as keyof Look)));
}

/** A colour of the 256 or of all, as the nearest of the 16 that the page has for either theme. */
function toExtended(codes: readonly number[]): { color: number | undefined; used: number } {
  if (codes[0] === 5) {
    const index = codes[1] ?? 0;
    if (index < 16) return { color: index, used: 2 };
    if (index >= 232) return { color: index < 244 ? 8 : 7, used: 2 };
    const cube = index - 16;
    return { color: nearest(Math.floor(cube / 36) / 5, (Math.floor(cube / 6) % 6) / 5, (cube % 6) / 5), used: 2 };
  }
  if (codes[0] === 2) {
    const [red = 0, green = 0, blue = 0] = codes.slice(1, 4).map((value) => value / 255);
    return { color: nearest(red, green, blue), used: 4 };
  }
  return { color: undefined, used: 0 };
}

/** Of the 16: by which of red, green and blue are strong, and how strong. Each from 0 to 1. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 0.2) return 0;
  const bits = [red, green, blue].reduce((sum, value, at) => sum | (value > most * 0.6 ? 1 << at : 0), 0);
  return most > 0.75 ? bits + 8 : bits;
}
