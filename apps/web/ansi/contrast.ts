/** Backgrounds of the terminal, and the colour towards which text is mixed there. Keep in sync with `tokens.css`. */
const THEMES = {
  light: { background: '#f6f6f9', towards: 0 },
  dark: { background: '#0b0c0e', towards: 255 },
};

/** The minimum contrast of text in WCAG. */
const MIN_CONTRAST = 4.5;

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

/** The contrast ratio, from 1 to 21. */
export function toContrast(one: string, other: string): number {
  const [a, b] = [toLuminance(one), toLuminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** A text colour of a program, changed until it is readable on the background of the terminal. A CSS colour. */
export function toReadable(color: string): string {
  return `light-dark(${mix(color, THEMES.light)}, ${mix(color, THEMES.dark)})`;
}

function mix(color: string, { background, towards }: (typeof THEMES)['light']): string {
  let shown = color;
  for (let share = 0.1; share < 1 && toContrast(shown, background) < MIN_CONTRAST; share += 0.1) {
    const mixed = toParts(color).map((part) => Math.round(part + (towards - part) * share));
    shown = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  }
  return shown;
}

/** A readable text colour on a background of a program: the given colour if possible, otherwise black or white. */
export function toTextOn(background: string, color?: string): string {
  if (color !== undefined && toContrast(color, background) >= MIN_CONTRAST) return color;
  return toContrast('#ffffff', background) >= toContrast('#000000', background) ? '#ffffff' : '#000000';
}
