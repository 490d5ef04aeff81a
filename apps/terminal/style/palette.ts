import { toEdge } from '../screen/index.ts';

/** Makes a text look like something. */
export type Style = (text: string) => string;

export const ROLES = [
  'accent',
  'muted',
  'strong',
  'good',
  'bad',
  'warn',
  'code',
  'link',
  'heading',
  'quote',
  'border',
  'user',
  'added',
  'removed',
  'addedWord',
  'removedWord',
  'keyword',
  'string',
  'number',
  'comment',
  'title',
  'selected',
] as const;
export type Role = (typeof ROLES)[number];

/** The styles of everything that is shown, by its role. */
export type Palette = Readonly<Record<Role, Style>> & {
  /** A part of the code of a changed line, with the colour of its role if the theme has backgrounds. */
  readonly changed: (change: Change, role: Role | undefined, text: string) => string;
  /** Ends a row in the background of a change. */
  readonly changedEdge: (change: Change) => string;
  /** Applies the codes of a terminal to a text, as a command wrote it. Without colours, it returns the text. */
  readonly sgr: (codes: string, text: string) => string;
};

/** Roles that may have a background. */
export type Change = 'added' | 'removed' | 'addedWord' | 'removedWord';

export const THEMES = ['dark', 'light', '16', 'none'] as const;
export type Theme = (typeof THEMES)[number];

/** SGR codes, and those that end them. */
type Codes = readonly [open: string, close: string];

const bold: Codes = ['1', '22'];
const dim: Codes = ['2', '22'];
const color = (code: number | string): Codes => [typeof code === 'number' ? `38;5;${code}` : code, '39'];
const bright = (code: number): Codes => [`1;38;5;${code}`, '22;39'];
const on = (foreground: number, background: number): Codes => [`38;5;${foreground};48;5;${background}`, '39;49'];

const onRgb = (foreground: number, background: string): Codes => [`38;5;${foreground};48;2;${background}`, '39;49'];

/** The colours of the user's terminal. They suit any background. */
const BASIC: Record<Role, Codes> = {
  accent: color('36'),
  muted: dim,
  strong: bold,
  good: color('32'),
  bad: color('31'),
  warn: color('33'),
  code: color('36'),
  link: ['4', '24'],
  heading: ['1;36', '22;39'],
  quote: ['3', '23'],
  border: dim,
  user: bold,
  added: color('32'),
  removed: color('31'),
  addedWord: ['7;32', '27;39'],
  removedWord: ['7;31', '27;39'],
  keyword: color('35'),
  string: color('32'),
  number: color('33'),
  comment: dim,
  title: color('34'),
  selected: ['7', '27'],
};

const DARK: Record<Role, Codes> = {
  ...BASIC,
  accent: color(80),
  muted: color(245),
  code: color(180),
  link: ['4;38;5;111', '24;39'],
  heading: bright(80),
  quote: ['3;38;5;250', '23;39'],
  border: color(241),
  added: on(157, 22),
  removed: on(217, 52),
  addedWord: on(231, 28),
  removedWord: on(231, 88),
  keyword: color(176),
  string: color(150),
  number: color(179),
  comment: color(243),
  title: color(117),
  selected: on(231, 24),
};

/** Changed lines in terminals with all colours: the 256 have no dark green and no dark red that are less bright. */
const DARK_CHANGES: Partial<Record<Role, Codes>> = {
  added: onRgb(157, '20;53;32'),
  removed: onRgb(217, '67;26;31'),
  addedWord: onRgb(231, '36;105;61'),
  removedWord: onRgb(231, '138;46;54'),
};

const LIGHT: Record<Role, Codes> = {
  ...BASIC,
  accent: color(30),
  muted: color(242),
  good: color(28),
  bad: color(124),
  warn: color(130),
  code: color(94),
  link: ['4;38;5;25', '24;39'],
  heading: bright(30),
  quote: ['3;38;5;240', '23;39'],
  border: color(247),
  added: on(22, 194),
  removed: on(88, 224),
  addedWord: on(22, 157),
  removedWord: on(88, 217),
  keyword: color(90),
  string: color(28),
  number: color(130),
  comment: color(245),
  title: color(25),
  selected: on(231, 30),
};

const CODES: Record<Exclude<Theme, 'none'>, Record<Role, Codes>> = { dark: DARK, light: LIGHT, '16': BASIC };

/** @param hasAllColours True for 24 bits of colour. */
export function createPalette(theme: Theme, hasAllColours = false): Palette {
  const toCodes = (role: Role): Codes => {
    const all = hasAllColours && theme === 'dark' ? DARK_CHANGES[role] : undefined;
    return all ?? CODES[theme as Exclude<Theme, 'none'>][role];
  };
  const toStyle = (role: Role): Style => {
    if (theme === 'none') return (text) => text;
    const [open, close] = toCodes(role);
    return (text) => (text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`);
  };
  const styles = Object.fromEntries(ROLES.map((role) => [role, toStyle(role)])) as Record<Role, Style>;
  const sgr = (codes: string, text: string): string =>
    theme === 'none' || codes === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
  const changed: Palette['changed'] = (change, role, text) => {
    if (theme === 'none' || text === '') return text;
    const [open, close] = toCodes(change);
    const color = role === undefined || !hasBackground(open) ? '' : `;${toCodes(role)[0]}`;
    return `\u001b[${open}${color}m${text}\u001b[${close}m`;
  };
  const changedEdge: Palette['changedEdge'] = (change) => {
    const [open] = theme === 'none' ? [''] : toCodes(change);
    return hasBackground(open) ? toEdge(open.slice(open.indexOf('48;'))) : '';
  };
  return { ...styles, sgr, changed, changedEdge };
}

function hasBackground(codes: string): boolean {
  return codes.includes('48;');
}

/**
 * The theme for a terminal, before it has answered a question about its background.
 *
 * @param env `NO_COLOR` switches colours off; `COLORFGBG` names the background in some terminals.
 * @param depth Bits of the terminal's colours, as of `getColorDepth`.
 */
export function toFirstTheme(env: NodeJS.ProcessEnv, depth: number): Theme {
  if ((env['NO_COLOR'] ?? '') !== '' || depth <= 1) return 'none';
  if (depth < 8) return '16';
  const background = Number(env['COLORFGBG']?.split(';').at(-1));
  return background === 7 || background === 15 ? 'light' : 'dark';
}
