import { join, relative } from 'node:path';
import type { Formatted, FormatEnd, Formatter, FormatterOptions } from '@klaus/core/agent';
import { messageOf } from '@klaus/core/protocol';
import { findFormatter, type FoundFormatter } from './find-formatter.ts';

/** Maximum files of one call. */
const MAX_FILES = 20;
/** Longer texts are not formatted, in characters. */
const MAX_TEXT = 512 * 1_024;
/** A program that failed this often in a row is not started again. */
const MAX_FAILURES = 3;
const KEEP_BYTES = 4 * 1_024 * 1_024;
const MAX_REASON = 300;
/** Exit code of a shell for a program that does not exist. */
const MISSING = 127;

/** Starts the first program that exists: its name, folders, an empty word, and its arguments. */
const START = [
  'program=$1; found=; shift',
  'while [ -n "$1" ]; do if [ -z "$found" ] && [ -x "$1/$program" ]; then found=$1/$program; fi; shift; done; shift',
  `[ -n "$found" ] || found=$(command -v "$program") || exit ${MISSING}`,
  'exec "$found" "$@"',
].join('\n');

/** The formatters that a project configures. Each is started for one text, and writes the formatted one to its output. */
export function openFormatter(options: FormatterOptions): Formatter {
  /** Failures in a row, by program. */
  const failures = new Map<string, number>();
  const missing = new Set<string>();
  const formatOne = async (
    { path, text }: { path: string; text: string },
    { signal, ms }: { signal: AbortSignal; ms: number },
  ): Promise<Formatted | undefined> => {
    const found = await findFormatter(options.workspace, path);
    if (!found) return undefined;
    const { name } = found.kind;
    const key = JSON.stringify([name, found.programs]);
    if (missing.has(key) || (failures.get(key) ?? 0) >= MAX_FAILURES) return undefined;
    const fail = (failure: string): Formatted => {
      failures.set(key, (failures.get(key) ?? 0) + 1);
      return { path, formatter: name, failure };
    };
    if (ms <= 0) return { path, formatter: name, failure: 'had no time left' };
    let end: FormatEnd;
    try {
      end = await options.exec(toRequest(found, { path, text, root: options.workspace.root, signal, ms }));
    } catch (error) {
      return fail(`could not be started: ${messageOf(error)}`);
    }
    if (end.exitCode === MISSING) missing.add(key);
    if (end.exitCode === MISSING || signal.aborted) return undefined;
    const failure = findFailure(found, end);
    if (failure !== undefined) return fail(failure);
    const formatted = readText(found, end.stdout, text);
    if (formatted === undefined) return fail('wrote no valid text');
    failures.delete(key);
    return { path, formatter: name, text: formatted };
  };
  return {
    async format(files, signal) {
      const until = performance.now() + options.timeoutMs;
      const all: Formatted[] = [];
      for (const file of files.slice(0, MAX_FILES)) {
        if (signal.aborted) break;
        if (file.path.startsWith('/') || file.text.length > MAX_TEXT) continue;
        const formatted = await formatOne(file, { signal, ms: Math.floor(until - performance.now()) });
        if (formatted) all.push(formatted);
      }
      return all;
    },
  };
}

function toRequest(
  { kind, folder, start, programs, config }: FoundFormatter,
  given: { path: string; text: string; root: string; signal: AbortSignal; ms: number },
): Parameters<FormatterOptions['exec']>[0] {
  const { path, text, root, signal, ms } = given;
  const folders = programs.map((each) => join(root, each));
  const words = kind.toArguments(relative(folder, path), config);
  return {
    command: ['/bin/sh', '-c', START, 'sh', kind.name, ...folders, '', ...words],
    cwd: join(root, start),
    stdin: text,
    keepBytes: KEEP_BYTES,
    limits: { timeoutMs: ms },
    signal,
  };
}

function findFailure({ kind }: FoundFormatter, end: FormatEnd): string | undefined {
  const { touched = [] } = end;
  if (end.timedOut) return 'took too long';
  if (touched.length > 0) return `tried to change ${touched.slice(0, 5).join(', ')}, which was undone`;
  if (end.exitCode === null) return `was ended by ${end.signal ?? 'a signal'}`;
  if (!(kind.valid ?? [0]).includes(end.exitCode)) return `ended with exit code ${end.exitCode}${toReason(end.stderr)}`;
  return end.truncated ? 'wrote too much' : undefined;
}

function toReason(stderr: string): string {
  const text = stderr.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_REASON).toWellFormed();
  return text === '' ? '' : `: ${text}`;
}

/** Undefined for an output that cannot be the formatted text. */
function readText({ kind }: FoundFormatter, output: string, text: string): string | undefined {
  try {
    const read = kind.readOutput ? kind.readOutput(output, text) : output;
    if (read === undefined || read.length > 2 * MAX_TEXT || read.includes('\0')) return undefined;
    if (read.includes('\uFFFD') && !text.includes('\uFFFD')) return undefined;
    return read.trim() === '' && text.trim() !== '' ? undefined : read;
  } catch {
    return undefined;
  }
}
