/**
 * The values of the design, by the name of their CSS variable without `--`: those of the page, of a shared session and of
 * the pages that a login shows. `docs/design-language.md` says what they are for. Colours have two values, by
 * `light-dark()`.
 */
export const TOKENS = {
  // Fonts.
  font: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  mono: "'JetBrains Mono Variable', 'Code until loaded', ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace",
  // Type: keys and marks; labels and code; controls; prose; headings; titles; the title of a page.
  'text-xs': '11px',
  'text-s': '12px',
  'text-m': '13px',
  'text-p': '14px',
  'text-l': '16px',
  'text-xl': '20px',
  'text-xxl': '24px',
  // Corners: bars and marks; chips and code; controls; cards; bubbles and round buttons.
  'radius-xs': '2px',
  'radius-s': '4px',
  radius: '6px',
  'radius-l': '10px',
  'radius-xl': '14px',
  // Motion: a change of state; a turn of a mark of progress.
  quick: '120ms',
  turn: '1.4s',
  // Space: distances are steps of 4 px. The indent is an icon of a row with the gap after it.
  'space-1': '4px',
  'space-2': '8px',
  'space-3': '12px',
  'space-4': '16px',
  'space-5': '20px',
  'space-6': '24px',
  'space-7': '28px',
  'space-8': '32px',
  'space-10': '40px',
  'space-12': '48px',
  'space-16': '64px',
  indent: '22px',
  // Conversation, message field and banners share one column. Prose has 68 to 76 characters in a line.
  column: '760px',
  gutter: '24px',
  measure: '36em',
  // Colours by purpose, light and dark.
  surface: 'light-dark(#ffffff, #131418)',
  'surface-side': 'light-dark(#f8f8fa, #0e0f12)',
  'surface-raised': 'light-dark(#ffffff, #1b1d22)',
  'surface-sunken': 'light-dark(#f3f3f6, #1a1b20)',
  hover: 'light-dark(#ededf1, #23252b)',
  selected: 'light-dark(#e6e6ef, #2a2c35)',
  line: 'light-dark(#e4e4ea, #27292f)',
  'line-strong': 'light-dark(#c8c8d2, #41444e)',
  text: 'light-dark(#191a1f, #e7e8ec)',
  'text-muted': 'light-dark(#5a5d68, #a1a4af)',
  'accent-soft': 'color-mix(in srgb, var(--accent) 11%, var(--surface))',
  good: 'light-dark(#1a6e3c, #6cc68d)',
  'good-soft': 'light-dark(#e3f4e9, #14301f)',
  'good-word': 'light-dark(#c8ebd4, #1e4a30)',
  warn: 'light-dark(#8a5300, #e5ae55)',
  'warn-soft': 'light-dark(#fdf1dc, #34270f)',
  bad: 'light-dark(#b3261e, #ff8a80)',
  'bad-soft': 'light-dark(#fdebea, #3c1b1a)',
  'bad-word': 'light-dark(#fbd6d3, #5c2725)',
  shadow: '0 8px 24px light-dark(rgb(20 20 30 / 14%), rgb(0 0 0 / 60%))',
  'code-keyword': 'light-dark(#8a2da5, #d7a1f0)',
  'code-string': 'light-dark(#1c6b3a, #8fd0a3)',
  'code-number': 'light-dark(#9a4a00, #eeb07a)',
  'code-comment': 'light-dark(#63666f, #9296a0)',
  'code-title': 'light-dark(#2350b0, #9db6ff)',
  'code-type': 'light-dark(#0b6370, #7ccad6)',
  'code-attr': 'light-dark(#7a4a10, #e2c08d)',
  terminal: 'light-dark(#f6f6f8, #0b0c0e)',
  'terminal-text': 'light-dark(#1b1c1f, #dcdee3)',
  accent: 'light-dark(#4848c8, #a3a8ff)',
  'accent-text': 'light-dark(#ffffff, #14142b)',
} as const;

/** The declarations of all tokens, for the rule of the root element. */
export const TOKENS_CSS = `color-scheme: light dark; ${Object.entries(TOKENS)
  .map(([name, value]) => `--${name}: ${value};`)
  .join(' ')}`;

/** The light and the dark value of a colour. @throws Error for a token that has one value. */
export function toColors(name: keyof typeof TOKENS): { light: string; dark: string } {
  const [, light, dark] = /^light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)$/.exec(TOKENS[name]) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`${name} has no two colours.`);
  return { light, dark };
}
