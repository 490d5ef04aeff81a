import type { Bar, Row, Skipped, Unit } from './benchmark.ts';

export interface Line {
  name: string;
  value: string;
  bare: string;
  ratio: string;
  /** What the bare figure is of. */
  beside: string;
  /** It is more, or less, than it may be. */
  isMissed: boolean;
}

const NOTHING = '–';
/** Units of which there are no parts. */
const INTEGERS: readonly Unit[] = ['points', 'bytes', 'nodes', 'tools', 'clears', 'events', 'events/s'];

export function toLine(row: Row | Skipped): Line {
  if ('skipped' in row) {
    const { name, skipped } = row;
    return { name, value: 'skipped', bare: NOTHING, ratio: NOTHING, beside: skipped, isMissed: false };
  }
  const { name, value, unit, bare, most, least } = row;
  const isMissed = isBeyond(row);
  const bars = [
    ...(most === undefined ? [] : [`at most ${toBar(most, unit)}`]),
    ...(least === undefined ? [] : [`at least ${toBar(least, unit)}`]),
  ];
  return {
    name: `${[name, ...bars].join('; ')}${isMissed ? ': **missed**' : ''}`,
    isMissed,
    value: toText(value, unit),
    bare: bare ? toText(bare.value, unit) : NOTHING,
    ratio: bare ? `${(value / bare.value).toFixed(2)} ×` : NOTHING,
    beside: bare?.what ?? NOTHING,
  };
}

function isBeyond({ value, bare, most, least }: Row): boolean {
  const toLimit = (bar: Bar): number => (typeof bar === 'number' ? bar : bar.times * (bare?.value ?? Number.NaN));
  return (most !== undefined && value > toLimit(most)) || (least !== undefined && value < toLimit(least));
}

function toBar(bar: Bar, unit: Unit): string {
  return typeof bar === 'number' ? `${bar.toLocaleString('en')} ${unit}` : `${bar.times} ×`;
}

function toText(value: number, unit: Unit): string {
  const digits = INTEGERS.includes(unit) ? 0 : value < 10 ? 2 : 1;
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** Wide enough for the names of all benchmarks. */
const NAME_WIDTH = 54;

export function toTerminal({ name, value, bare, ratio, beside }: Line): string {
  const figures = `${name.replaceAll('**', '').padEnd(NAME_WIDTH)}${value.padStart(16)}`;
  return bare === NOTHING
    ? `${figures}${beside === NOTHING ? '' : `   ${beside}`}`
    : `${figures}${bare.padStart(16)}${ratio.padStart(10)}   ${beside}`;
}

export function toMarkdown(lines: readonly Line[]): string {
  const rows = lines.map(
    ({ name, value, bare, ratio, beside }) => `| ${[name, value, bare, ratio, beside].join(' | ')} |`,
  );
  return ['| figure | Klaus | bare | ratio | bare is |', '|---|---:|---:|---:|---|', ...rows].join('\n');
}
