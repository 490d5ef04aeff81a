import type { Row, Skipped, Unit } from './benchmark.ts';

/** A row in words, as both outputs show it. */
export interface Line {
  name: string;
  value: string;
  bare: string;
  ratio: string;
  /** What the bare figure is of. */
  beside: string;
  /** It is more than it may be. */
  isMissed: boolean;
}

const NOTHING = '–';
/** Units of which there are no parts. */
const WHOLE: readonly Unit[] = ['bytes', 'nodes', 'tools', 'events', 'events/s'];

export function toLine(row: Row | Skipped): Line {
  if ('skipped' in row) {
    const { name, skipped } = row;
    return { name, value: 'skipped', bare: NOTHING, ratio: NOTHING, beside: skipped, isMissed: false };
  }
  const { name, value, unit, bare, most } = row;
  const isMissed = isMore(row);
  return {
    name: most === undefined ? name : `${name}; at most ${toMost(most, unit)}${isMissed ? ': missed' : ''}`,
    isMissed,
    value: toText(value, unit),
    bare: bare ? toText(bare.value, unit) : NOTHING,
    ratio: bare ? `${(value / bare.value).toFixed(2)} ×` : NOTHING,
    beside: bare?.what ?? NOTHING,
  };
}

function isMore({ value, bare, most }: Row): boolean {
  if (most === undefined) return false;
  return typeof most === 'number' ? value > most : bare !== undefined && value > most.times * bare.value;
}

function toMost(most: NonNullable<Row['most']>, unit: Unit): string {
  return typeof most === 'number' ? `${most.toLocaleString('en')} ${unit}` : `${most.times} ×`;
}

function toText(value: number, unit: Unit): string {
  const digits = WHOLE.includes(unit) ? 0 : value < 10 ? 2 : 1;
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** Wide enough for the names of all benchmarks. */
const NAME_WIDTH = 54;

/** One line for a terminal. */
export function toTerminal({ name, value, bare, ratio, beside }: Line): string {
  const figures = `${name.padEnd(NAME_WIDTH)}${value.padStart(16)}`;
  return bare === NOTHING
    ? `${figures}${beside === NOTHING ? '' : `   ${beside}`}`
    : `${figures}${bare.padStart(16)}${ratio.padStart(10)}   ${beside}`;
}

/** The whole table in Markdown. */
export function toMarkdown(lines: readonly Line[]): string {
  const rows = lines.map(
    ({ name, value, bare, ratio, beside }) => `| ${[name, value, bare, ratio, beside].join(' | ')} |`,
  );
  return ['| figure | Klaus | bare | ratio | bare is |', '|---|---:|---:|---:|---|', ...rows].join('\n');
}
