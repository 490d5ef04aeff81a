import { headOf } from '@klaus/sdk/cut-text';

/** Most lines of one check, and most characters of one line. */
const MAX_LINES = 40;
const MAX_LINE = 300;
/** Lines from the end, where most programs print their totals. */
const LAST = 10;

/** A line that reports a problem: a position in a file, or a word for a failure. */
const PROBLEM =
  /(?:^|[\s(])[\w./@-]+\.\w+[:(]\d+|\b(?:error|errors|failed|failure|warning|fatal|panic|exception|not found|cannot|undefined reference)\b|^\s*(?:✗|✖|×|not ok)/i;

/** The lines of an output that report problems, then its last lines. */
export function summarise(output: string): string {
  // Without the colours of terminals.
  const lines = output
    .replaceAll(/\u001B\[[\d;]*m/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const filled = lines.filter((line) => line.trim() !== '');
  const end = filled.slice(-LAST);
  const problems = filled.slice(0, -LAST).filter((line) => PROBLEM.test(line));
  const shown = problems.slice(0, MAX_LINES - LAST);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`[… ${more} more problems …]`] : []), ...end]
    .map((line) => (line.length > MAX_LINE ? `${headOf(line, MAX_LINE)}…` : line))
    .join('\n');
}
