import { toColors } from '@klaus/core/design-tokens';

const [backgrounds, texts] = [toColors('terminal'), toColors('terminal-text')];

/** Background and text colour of the terminal in each theme. */
export const TERMINAL = {
  light: { background: backgrounds.light, text: texts.light },
  dark: { background: backgrounds.dark, text: texts.dark },
} as const;

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

/** A text colour of a program, mixed with that of the terminal until it is readable on the background of the theme. */
export function toReadable(color: string, theme: keyof typeof TERMINAL): string {
  const { background, text } = TERMINAL[theme];
  const target = toParts(text);
  let shown = color;
  for (let share = 0.1; share < 1 && toContrast(shown, background) < MIN_CONTRAST; share += 0.1) {
    const mixed = toParts(color).map((part, at) => Math.round(part + (target[at]! - part) * share));
    shown = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  }
  return toContrast(shown, background) < MIN_CONTRAST ? text : shown;
}

/** A readable text colour on a background of a program: the given colour if possible, otherwise black or white. */
export function toTextOn(background: string, color: string = TERMINAL.dark.text): string {
  if (toContrast(color, background) >= MIN_CONTRAST) return color;
  return toContrast('#ffffff', background) >= toContrast('#000000', background) ? '#ffffff' : '#000000';
}
