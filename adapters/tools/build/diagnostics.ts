import { headOf } from '@klaus/core/cut-text';

export interface Diagnostic {
  /** Relative to the workspace; '' without a file. */
  path: string;
  /** From 1; 0 without a position. */
  line: number;
  column: number;
  severity: 'error' | 'warning';
  /** Such as `TS2322` or `no-undef`; '' without one. */
  code: string;
  message: string;
}

const MAX_LISTED = 100;
/** Characters. */
const MAX_MESSAGE = 600;

/** A line with counts, then the first diagnostics in one line each, errors before warnings. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  const files = new Set(diagnostics.map(({ path }) => path).filter((path) => path !== '')).size;
  const counts = [count(errors.length, 'error')];
  if (warnings.length > 0) counts.push(count(warnings.length, 'warning'));
  const all = [...errors, ...warnings];
  const lines = [`${counts.join(', ')}${files > 0 ? ` in ${count(files, 'file')}` : ''}.`];
  lines.push(...all.slice(0, MAX_LISTED).map(toLine));
  if (all.length > MAX_LISTED) lines.push(`[… ${all.length - MAX_LISTED} more …]`);
  return lines.join('\n');
}

export function toListed(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.slice(0, MAX_LISTED).map((one) => ({ ...one, message: cut(one.message) }));
}

function toLine({ path, line, column, severity, code, message }: Diagnostic): string {
  const location = path === '' ? '' : line === 0 ? `${path} ` : `${path}:${line}:${column} `;
  return `${location}${severity === 'warning' ? 'warning ' : ''}${code === '' ? '' : `${code} `}${cut(message)}`;
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${headOf(message, MAX_MESSAGE)}…`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
