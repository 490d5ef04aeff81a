/** Ground of the terminal in the lighter theme, and its text; `tokens.css` has the same. */
const GROUND = '#16171a';
const TEXT = '#dcdee3';

/** What WCAG asks of text. */
const ENOUGH = 4.5;

function toParts(hex: string): [red: number, green: number, blue: number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Relative luminance, as WCAG 2.2 defines it. */
function toLuminance(hex: string): number {
  const [red, green, blue] = toParts(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1, the same, to 21, black on white. */
export function toContrast(one: string, other: string): number {
  const [a, b] = [toLuminance(one), toLuminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** A program's own colour for text on the terminal's ground, made lighter until it can be read. */
export function toReadable(color: string): string {
  let shown = color;
  for (let share = 0.1; share < 1 && toContrast(shown, GROUND) < ENOUGH; share += 0.1) {
    const mixed = toParts(color).map((part) => Math.round(part + (255 - part) * share));
    shown = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  }
  return shown;
}

/** Text on a ground of a program's own: as it wants it where that can be read, else black or white. */
export function toTextOn(background: string, color: string = TEXT): string {
  if (toContrast(color, background) >= ENOUGH) return color;
  return toContrast('#ffffff', background) >= toContrast('#000000', background) ? '#ffffff' : '#000000';
}
