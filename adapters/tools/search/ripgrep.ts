import { spawn } from 'node:child_process';
import { KlausError } from '@klaus/core/protocol';
import type { FoundPath, ToolContext } from '@klaus/core/agent';

/** The folder and the path in it to search. */
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
 * @param at Paths in the output are relative to its folder.
 * @throws KlausError `tool.failed` with the message of ripgrep, such as for an invalid pattern, and after the time-out of
 *   commands: a named pipe as an ignore file would block it.
 */
export async function* runRipgrep(
  context: ToolContext,
  { args, at }: { args: readonly string[]; at: SearchLocation },
): AsyncGenerator<string | null> {
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(
    rgPath,
    [...COMMON, ...(await toIgnoreFile(at)), ...args, '--', at.relative === '' ? '.' : `./${at.relative}`],
    {
      cwd: at.folder.root,
      env: { LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const stop = () => child.kill('SIGKILL');
  context.signal.addEventListener('abort', stop, { once: true });
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    stop();
  }, context.execLimits.timeoutMs);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 4_000) errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A failed start is thrown below, where the promise is awaited.
  ended.catch(() => {});
  try {
    yield* toLines(child.stdout);
    const code = await ended;
    if (context.signal.aborted) throw new KlausError('cancelled', 'The search was cancelled.');
    if (isTimedOut) throw new KlausError('tool.failed', 'The search took too long and was stopped.');
    // Exit code 1 means no match; 2 with output means that a file could not be read, which is ignored.
    if (code === 2 && /regex|glob|pattern|unrecognized|error parsing/i.test(errors))
      throw new KlausError('tool.failed', errors.trim());
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new KlausError('tool.failed', `ripgrep could not be started: ${error.message}`, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
    stop();
  }
}

/** In bytes. A file may be one line, and strings have a maximum length. */
const MAX_LINE = 16 * 1024 * 1024;

async function* toLines(output: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = () => {
    const line = size > MAX_LINE ? null : Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
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
