import type { Diagnostic } from './diagnostics.ts';

const WITH_POSITION = /^(.+?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/;
const WITHOUT_POSITION = /^(error|warning) (TS\d+): (.*)$/;

/** Parses the output of `tsc --pretty false`: one error a line, with details on indented lines below it. */
export function toTscDiagnostics(output: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const line of output.split(/\r?\n/)) {
    const placed = WITH_POSITION.exec(line);
    const unplaced = placed ? null : WITHOUT_POSITION.exec(line);
    if (placed) {
      const [, path = '', row, column, severity, code = '', message = ''] = placed;
      found.push({ path, line: Number(row), column: Number(column), severity: toSeverity(severity), code, message });
    } else if (unplaced) {
      const [, severity, code = '', message = ''] = unplaced;
      found.push({ path: '', line: 0, column: 0, severity: toSeverity(severity), code, message });
    } else if (/^\s+\S/.test(line) && found.length > 0) {
      const last = found.at(-1)!;
      last.message += ` ${line.trim()}`;
    }
  }
  return dedupe(found);
}

function toSeverity(word: string | undefined): Diagnostic['severity'] {
  return word === 'warning' ? 'warning' : 'error';
}

/** Projects that share files report an error twice. */
function dedupe(found: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}
