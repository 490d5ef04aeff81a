import { headOf } from '../../protocol/text/cut-text.ts';

/** An error that the output of a tool shows. */
export interface FoundError {
  /** The line, shortened. */
  text: string;
  /** The same for an error that occurs again with other numbers, paths of temporary files or times. */
  fingerprint: string;
}

/** Lines that report an error, in the formats of common tools. */
const ERRORS: readonly RegExp[] = [
  /^\s*(?:\w+\.)*\w*(?:Error|Exception|Panic)(?:\s\[\w+\])?:\s/,
  /\berror(?:\[E\d+\]|\s+TS\d+|\s+[A-Z]+\d+)?:\s/i,
  /^\s*\S+\(\d+,\d+\): error\b/,
  /\bTraceback \(most recent call last\)/,
  /^panic: |^thread '.*' panicked/,
  /^fatal: /,
  /\bcommand not found\b|: not found$/,
  /\b(?:EACCES|ENOENT|ECONNREFUSED|EADDRINUSE|ENOSPC|EPERM|ETIMEDOUT)\b/,
  /\bpermission denied\b/i,
  /\bsegmentation fault\b/i,
  /\bnpm (?:ERR!|error)\s/,
  /^\s*(?:✗|✖|×|FAIL(?:ED)?)\s+\S/,
  /^--- FAIL: /,
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b/i,
  /\bexit(?:ed with)?(?: code| status)?:? [1-9]\d*\b/i,
  /\bBUILD FAILED\b|\bCompilation failed\b|\bFailed to compile\b/i,
  /^make(?:\[\d+\])?: \*\*\* /,
];

/** Lines about errors that report none. */
const HARMLESS =
  /\b(?:0|no|zero|without) (?:errors?|failures?|failed)\b|\berrors?: 0\b|\b(?:error|exception)\w*\.(?:ts|js|py|go|rs|java|md)\b|^\s*(?:\/\/|#|\*|\d+[:|→-]|[+-](?![+-]))/i;

const MAX_TEXT = 200;
const MAX_ERRORS = 20;
/** Characters of a line that are searched. */
const MAX_LINE = 2_000;

/** The lines of a tool's output that report errors. */
export function findErrors(output: string): FoundError[] {
  const found = new Map<string, FoundError>();
  for (const each of output.split('\n')) {
    if (found.size >= MAX_ERRORS) break;
    const line = headOf(each, MAX_LINE);
    if (HARMLESS.test(line) || !ERRORS.some((pattern) => pattern.test(line))) continue;
    const text = headOf(line.trim(), MAX_TEXT);
    const fingerprint = toFingerprint(text);
    if (!found.has(fingerprint)) found.set(fingerprint, { text, fingerprint });
  }
  return [...found.values()];
}

function toFingerprint(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\/tmp\/\S+|0x[\da-f]+/g, '#')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/\s+/g, ' ');
}

/** Words with which a message denies an error. */
const DENIES =
  /\b(?:no|without|zero|0) (?:\w+ )?(?:errors?|failures?|issues|problems)\b|\ball (?:\w+ )?(?:tests|checks) pass/i;

/** True if a message of the agent names the error: by its class, its code or its place. */
export function isAcknowledged(error: FoundError, message: string): boolean {
  if (DENIES.test(message)) return false;
  const names = error.text.match(
    /\b[A-Za-z_]\w*(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\bTS\d{4}\b|\bE\d{4}\b|[\w/.-]+\.\w{1,4}(?=:\d|\()/g,
  );
  return names?.some((name) => message.includes(name)) ?? false;
}
