/** A colour: an index of the 16 theme colours, or `#rrggbb`. */
export type Color = number | `#${string}`;

export interface TextStyle {
  color?: Color;
  background?: Color;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
}

/** Applies an SGR sequence, such as `1;38;5;208`, to a style. */
export function applySgr(style: TextStyle, words: string): TextStyle {
  const codes = words.split(/[;:]/).map((word) => (word === '' ? 0 : Number(word)));
  let next: TextStyle = style;
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

function applyOne(style: TextStyle, code: number): TextStyle {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return omit(style, 'bold', 'dim');
  if (code === 23) return omit(style, 'italic');
  if (code === 24) return omit(style, 'underline');
  if (code === 27) return omit(style, 'inverse');
  if (code === 39) return omit(style, 'color');
  if (code === 49) return omit(style, 'background');
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

function omit(style: TextStyle, ...keys: (keyof TextStyle)[]): TextStyle {
  return Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key as keyof TextStyle)));
}

/** Levels of red, green and blue in the palette of 256 colours. */
const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** An indexed (`5;N`) or RGB (`2;R;G;B`) colour, and the number of codes used. */
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
