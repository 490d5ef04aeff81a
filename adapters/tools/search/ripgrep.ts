import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { KlausError, showName } from '@klaus/core/protocol';
import type { FoundPath, ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

type SearchLocation = Pick<FoundPath, 'folder' | 'relative'>;

/** A path in results: relative in the workspace, absolute outside it. */
export function toShown({ folder, absolute, shown }: FoundPath, path: string): string {
  return shown === absolute ? `${folder.root}/${path}` : path;
}

/**
 * Runs ripgrep over the workspace or another readable folder and yields its output by line; null for a line of more than
 * 16 MiB. It runs on the host: it executes nothing from the repository (no configuration file, preprocessor or archive)
 * and follows no symlink. No command of the session runs at the same time, so that files cannot be exchanged.
 *
 * @param options.at Paths in the output are relative to its folder.
 * @param options.files Files to search, relative to the folder. Default: those below `at`.
 * @throws KlausError `tool.failed` with the message of ripgrep, such as for an invalid pattern, and after the time-out of
 *   commands: a named pipe as an ignore file would block it.
 */
export async function* runRipgrep(
  context: ToolContext,
  { args, at, files }: { args: readonly string[]; at: SearchLocation; files?: readonly string[] },
): AsyncGenerator<string | null> {
  const { rgPath } = await import('@vscode/ripgrep');
  const timeout = AbortSignal.timeout(context.execLimits.timeoutMs);
  const targets = files?.map((file) => `./${file}`) ?? [at.relative === '' ? '.' : `./${at.relative}`];
  const child = spawn(rgPath, [...COMMON, ...(await toIgnoreFile(at)), ...args, '--', ...targets], {
    cwd: at.folder.root,
    env: { LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([context.signal, timeout]),
    killSignal: 'SIGKILL',
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 4_000) errors += chunk.toString();
  });
  const ended = once(child, 'close');
  // A failure is thrown below, where the promise is awaited.
  ended.catch(() => {});
  try {
    yield* toLines(child.stdout);
    const [code] = await ended;
    // Exit code 1 means no match; 2 with output means that a file could not be read, which is ignored.
    if (code === 2 && /regex|glob|pattern|unrecognized|error parsing/i.test(errors)) throw toolFailed(errors.trim());
  } catch (error) {
    if (context.signal.aborted) throw new KlausError('cancelled', 'The search was cancelled.');
    if (timeout.aborted) throw toolFailed('The search took too long and was stopped.');
    if (error instanceof Error && 'syscall' in error)
      throw toolFailed(`ripgrep could not be started: ${error.message}`, { cause: error });
    throw error;
  } finally {
    child.kill('SIGKILL');
  }
}

/** In bytes. A file may be one line, and strings have a maximum length. */
const MAX_LINE = 16 * 1024 * 1024;

async function* toLines(output: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = () => {
    const line = size > MAX_LINE ? null : showName(Buffer.concat(parts)).replace(/\r$/, '');
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of output) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, end);
      size += part.length;
      if (size <= MAX_LINE) parts.push(part);
      yield take();
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > MAX_LINE) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  if (size > 0) yield take();
}

const COMMON = [
  '--no-config',
  '--no-follow',
  '--no-require-git',
  '--no-ignore-global',
  '--no-messages',
  '--hidden',
  '--glob=!.git',
  '--color=never',
  '--sort=path',
];

/** `.klausignore` in the root of the folder has further rules. */
async function toIgnoreFile({ folder }: SearchLocation): Promise<string[]> {
  const { inside } = { inside: undefined, ...(await folder.locate('.klausignore')) };
  if (!inside || (await folder.stat(inside.relative))?.kind !== 'file') return [];
  return [`--ignore-file=${inside.absolute}`];
}
