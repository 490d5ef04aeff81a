import { known, toVerdicts, type Verdict } from './bars.ts';
import type { Measure } from './run-agent.ts';
import { type TaskResult, toValues } from './rounds.ts';
import { type Estimate, toEstimate } from './statistics.ts';

interface Column {
  measure: Measure;
  title: string;
  /** What a value is multiplied by before it is written. */
  scale: number;
  digits: number;
}

const COLUMNS: readonly Column[] = [
  { measure: 'cpu', title: 'CPU s', scale: 0.001, digits: 2 },
  { measure: 'wall', title: 'wall s', scale: 0.001, digits: 2 },
  { measure: 'memory', title: 'peak MiB', scale: 1, digits: 0 },
  { measure: 'firstRequest', title: 'start to first request ms', scale: 1, digits: 0 },
  { measure: 'nextRequest', title: 'request to next ms', scale: 1, digits: 0 },
  { measure: 'firstBytes', title: 'first request bytes', scale: 1, digits: 0 },
  { measure: 'reuse', title: 'prefix reuse', scale: 1, digits: 3 },
];

const NOTHING = '–';

/** All figures of one task and the results of its bars, in Markdown that is readable as text. */
export function toSection(result: TaskResult): string {
  const verdicts = toVerdicts(result);
  const { task, series, leftOut } = result;
  const columns = COLUMNS.filter(({ measure }) => series.some((each) => known(toValues(each, measure)).length > 0));
  const rows = series.map((each) => [
    `${each.agent.title} ${each.agent.version}`,
    ...columns.map((column) => toCell(known(toValues(each, column.measure)), column)),
  ]);
  return [
    `## ${task.title}`,
    toTable([['', ...columns.map(({ title }) => title)], ...rows]),
    ...leftOut.map(({ title, reason }) => `${title} is left out: ${reason}.`),
    ...(verdicts.length === 0 ? [] : [toTable([['bar', 'limit', 'Klaus', ''], ...verdicts.map(toVerdictRow)])]),
  ].join('\n\n');
}

function toCell(values: readonly number[], { scale, digits }: Column): string {
  if (values.length === 0) return NOTHING;
  return toText(toEstimate(values.map((value) => value * scale)), digits);
}

function toVerdictRow({ bar, figure, best, isMet }: Verdict): string[] {
  const { title = bar.measure } = COLUMNS.find(({ measure }) => measure === bar.measure) ?? {};
  const sign = bar.measure === 'reuse' ? '≥' : '≤';
  if (bar.of === 'value') {
    const digits = bar.measure === 'reuse' ? 3 : 0;
    return [title, `${sign} ${toNumber(bar.limit, digits)}`, toText(figure, digits), toWord(isMet)];
  }
  return [title, `${sign} ${bar.limit.toFixed(2)} × ${best}`, `${toText(figure, 2)} ×`, toWord(isMet)];
}

function toWord(isMet: boolean): string {
  return isMet ? 'met' : '**missed**';
}

/** The median, and the interval where it says more. */
function toText({ median, interval }: Estimate, digits: number): string {
  const middle = toNumber(median, digits);
  if (interval === undefined) return middle;
  const [low, high] = [toNumber(interval.low, digits), toNumber(interval.high, digits)];
  return low === high ? middle : `${middle} (${low}–${high})`;
}

function toNumber(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The first row is the head, the first column is aligned to the left. */
function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(3, ...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)));
    return `| ${cells.join(' | ')} |`;
  });
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
