/** A colour: one of the 16 that the page has for either theme, or one of its own as `#rrggbb`. */
export type Color = number | `#${string}`;

/** How characters of a terminal look. */
export interface TextStyle {
  color?: Color;
  background?: Color;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
}

/** A look with what an SGR sequence says, such as `1;38;5;208`. */
export function applySgr(look: TextStyle, words: string): TextStyle {
  const codes = words.split(/[;:]/).map((word) => (word === '' ? 0 : Number(word)));
  let next: TextStyle = look;
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

function applyOne(look: TextStyle, code: number): TextStyle {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 7) return { ...look, inverse: true };
  if (code === 22) return omit(look, 'bold', 'dim');
  if (code === 23) return omit(look, 'italic');
  if (code === 24) return omit(look, 'underline');
  if (code === 27) return omit(look, 'inverse');
  if (code === 39) return omit(look, 'color');
  if (code === 49) return omit(look, 'background');
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, color: code - 82 };
  if (code >= 40 && code <= 47) return { ...look, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, background: code - 92 };
  return look;
}

function omit(look: TextStyle, ...keys: (keyof TextStyle)[]): TextStyle {
  return Object.fromEntries(Object.entries(look).filter(([key]) => !keys.includes(key as keyof TextStyle)));
}

/** Steps of red, green and blue in the cube of 256 colours. */
const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** A colour of the 256 (`5;N`) or of all (`2;R;G;B`), and how many codes it took. */
function toExtended(codes: readonly number[]): { color: Color | undefined; used: number } {
  if (codes[0] === 5) {
    const index = codes[1] ?? 0;
    if (index < 16) return { color: index, used: 2 };
    if (index >= 232) {
      const grey = 8 + Math.min(23, index - 232) * 10;
      return { color: toHex([grey, grey, grey]), used: 2 };
    }
    const cube = index - 16;
    const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
    return { color: toHex(parts.map((step) => STEPS[step] ?? 0)), used: 2 };
  }
  if (codes[0] === 2) return { color: toHex([1, 2, 3].map((at) => codes[at] ?? 0)), used: 4 };
  return { color: undefined, used: 0 };
}

function toHex(parts: readonly number[]): Color {
  const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value) || 0));
  return `#${parts.map((value) => clamp(value).toString(16).padStart(2, '0')).join('')}`;
}
