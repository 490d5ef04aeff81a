import { headOf } from '@klaus/core/cut-text';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isRecord } from '@klaus/core/protocol';

/** A problem as a server reports it, after a check of its fields. */
export interface CheckedProblem {
  /** From 0, in the file. */
  line: number;
  /** From 0, in UTF-16 units, in the line. */
  column: number;
  severity: 1 | 2;
  code?: string;
  message: string;
}

/** Problems of one list that are read. A server that finds more has a broken project. */
const MAX_PROBLEMS = 1_000;
const MAX_MESSAGE = 2_000;

/**
 * The errors and warnings of a list. What is no problem is left out, and a position outside of the text is moved into it.
 *
 * @param text The text that the server got.
 */
export function readProblems(given: readonly unknown[], text: string): CheckedProblem[] {
  const lines = text.split('\n');
  return given.slice(0, MAX_PROBLEMS).flatMap((each) => readProblem(each, lines) ?? []);
}

function readProblem(given: unknown, lines: readonly string[]): CheckedProblem | undefined {
  if (!isRecord(given)) return undefined;
  const { severity = 1, code, message, range } = given;
  if (severity !== 1 && severity !== 2) return undefined;
  const words = isRecord(message) ? message.value : message;
  const start = isRecord(range) ? range.start : undefined;
  if (typeof words !== 'string' || !isRecord(start)) return undefined;
  const line = toIndex(start.line, lines.length - 1);
  const column = line === undefined ? undefined : toIndex(start.character, lines[line]!.length);
  if (line === undefined || column === undefined) return undefined;
  const isNamed = typeof code === 'string' || typeof code === 'number';
  const rest = isNamed ? { code: headOf(String(code), 100) } : {};
  return { line, column, severity, ...rest, message: headOf(words, MAX_MESSAGE) };
}

/** Undefined for what is no position. */
function toIndex(value: unknown, last: number): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
  return Math.min(value, last);
}

/** The form in which addresses of files are compared: servers encode them differently. Undefined: it names no file. */
export function toFileUri(uri: unknown): string | undefined {
  try {
    return typeof uri === 'string' ? pathToFileURL(fileURLToPath(uri)).href : undefined;
  } catch {
    return undefined;
  }
}
