/** One complaint of a checker. */
export interface Diagnostic {
  /** Relative to the workspace; '' for what concerns no file. */
  path: string;
  /** From 1; 0 without a place. */
  line: number;
  column: number;
  severity: 'error' | 'warning';
  /** `TS2322`, `no-undef`; '' where there is none. */
  code: string;
  message: string;
}

/** Complaints that are listed; the others are counted. */
const MAX_LISTED = 100;
/** Characters of one message. */
const MAX_MESSAGE = 600;

/** The first complaints in one line each, errors before warnings, after a line that counts them. */
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

/** What of the complaints goes into the result's detail. */
export function toListed(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.slice(0, MAX_LISTED).map((one) => ({ ...one, message: cut(one.message) }));
}

function toLine({ path, line, column, severity, code, message }: Diagnostic): string {
  const place = path === '' ? '' : line === 0 ? `${path} ` : `${path}:${line}:${column} `;
  return `${place}${severity === 'warning' ? 'warning ' : ''}${code === '' ? '' : `${code} `}${cut(message)}`;
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`.toWellFormed();
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
