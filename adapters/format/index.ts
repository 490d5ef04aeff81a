import { join, relative } from 'node:path';
import type { Formatted, FormatEnd, Formatter, FormatterOptions } from '@klaus/core/agent';
import { findObstacle, isMissing, toLine, toStart } from '@klaus/adapters/system';
import { messageOf } from '@klaus/core/protocol';
import { findFormatter, type FoundFormatter } from './find-formatter.ts';

/** Maximum files of one call. */
const MAX_FILES = 20;
/** Longer texts are not formatted, in characters. */
const MAX_TEXT = 512 * 1_024;
/** A program that failed this often in a row is not started again. */
const MAX_FAILURES = 3;
const KEEP_BYTES = 4 * 1_024 * 1_024;
/** Maximum milliseconds in which a program shows that it runs. */
const PROBE_MS = 5_000;

/** The formatters that a project configures. Each is started for one text, and writes the formatted one to its output. */
export function openFormatter(options: FormatterOptions): Formatter {
  /** Failures in a row, by program. */
  const failures = new Map<string, number>();
  /** Programs that do not exist or cannot run, and those that are known to run. */
  const absent = new Set<string>();
  const running = new Set<string>();
  const formatOne = async (
    { path, text }: { path: string; text: string },
    { signal, until }: { signal: AbortSignal; until: number },
  ): Promise<Formatted | undefined> => {
    const found = await findFormatter(options.workspace, path);
    if (!found) return undefined;
    const { name } = found.kind;
    const key = JSON.stringify([name, found.programs]);
    if (absent.has(key) || (failures.get(key) ?? 0) >= MAX_FAILURES) return undefined;
    const toMs = (): number => Math.floor(until - performance.now());
    const fail = (failure: string): Formatted => {
      failures.set(key, (failures.get(key) ?? 0) + 1);
      return { path, formatter: name, failure };
    };
    if (toMs() <= 0) return { path, formatter: name, failure: 'had no time left' };
    const { root } = options.workspace;
    const program = { name, folders: found.programs.map((each) => join(root, each)) };
    const exec = (command: string[], stdin: string, timeoutMs: number): Promise<FormatEnd> =>
      options.exec({
        command,
        cwd: join(root, found.start),
        stdin,
        keepBytes: KEEP_BYTES,
        limits: { timeoutMs },
        signal,
      });
    let end: FormatEnd;
    try {
      const words = found.kind.toArguments(relative(found.folder, path), found.config);
      end = await exec(toStart(program, words), text, toMs());
    } catch (error) {
      return fail(`could not be started: ${messageOf(error)}`);
    }
    if (isMissing(end)) absent.add(key);
    if (absent.has(key) || signal.aborted) return undefined;
    const failure = findFailure(found, end);
    // The text may be wrong, or the program runs with none.
    if (failure !== undefined && end.exitCode !== 0 && !end.timedOut && !running.has(key) && toMs() > 0) {
      const probe = (command: string[]) => exec(command, '', Math.min(toMs(), PROBE_MS));
      const obstacle = await findObstacle(probe, program, found.kind.probe);
      if (signal.aborted) return undefined;
      if (obstacle) {
        absent.add(key);
        const { reason } = obstacle;
        return reason === undefined ? undefined : { path, formatter: name, failure: `cannot run here: ${reason}` };
      }
      running.add(key);
    }
    if (failure !== undefined) return fail(failure);
    running.add(key);
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
        const formatted = await formatOne(file, { signal, until });
        if (formatted) all.push(formatted);
      }
      return all;
    },
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
  const text = toLine(stderr);
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
