import type { IndexedImage } from './quantize.ts';

/** Rows of pixels that are drawn at once: one character has a bit for each. */
export const BAND = 6;
/** Begins an image whose pixels that are not drawn stay as they are. */
const BEGIN = '\u001bP0;1;0q';
const END = '\u001b\\';
const NEXT_COLOR = '$';
const NEXT_BAND = '-';
/** The character without a bit. */
const EMPTY = 63;
/** Equal characters from which on a count is shorter. */
const MIN_REPEAT = 4;

/** The device control string that draws an image. */
export function encodeSixel({ width, height, palette, indices }: IndexedImage): string {
  const colors = palette.map((color, index) => `#${index};2;${color.map(toPercent).join(';')}`);
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(toBand({ width, height, indices }, top));
  return `${BEGIN}"1;1;${width};${height}${colors.join('')}${bands.join(NEXT_BAND)}${END}`;
}

function toPercent(value: number): number {
  return Math.round((value / 255) * 100);
}

function toBand({ width, height, indices }: Omit<IndexedImage, 'palette'>, top: number): string {
  const masks = new Map<number, Uint8Array>();
  for (let row = 0; row < Math.min(BAND, height - top); row++) {
    for (let x = 0; x < width; x++) {
      const color = indices[(top + row) * width + x]!;
      let mask = masks.get(color);
      if (!mask) masks.set(color, (mask = new Uint8Array(width)));
      mask[x]! |= 1 << row;
    }
  }
  return [...masks].map(([color, mask]) => `#${color}${toCharacters(mask)}`).join(NEXT_COLOR);
}

function toCharacters(mask: Uint8Array): string {
  let text = '';
  for (let from = 0; from < mask.length;) {
    let to = from + 1;
    while (to < mask.length && mask[to] === mask[from]) to++;
    const character = String.fromCharCode(EMPTY + mask[from]!);
    const isRest = to === mask.length && mask[from] === 0;
    if (!isRest) text += to - from < MIN_REPEAT ? character.repeat(to - from) : `!${to - from}${character}`;
    from = to;
  }
  return text;
}
