import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';

/**
 * Runs ripgrep over the workspace and gives its output line by line (or record by record). It runs on the
 * host: it executes nothing that a repository says (no configuration file, no preprocessor, no archives) and
 * follows no symlink. While it runs no command of the session does, so nothing is swapped under it.
 *
 * @param path Relative to the workspace, already resolved; '' is all of it.
 * @throws KlausError `tool.failed` with ripgrep's own words, such as for a malformed pattern.
 */
export async function* runRipgrep(
  context: ToolContext,
  { args, path }: { args: readonly string[]; path: string },
): AsyncGenerator<string> {
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(
    rgPath,
    [...COMMON, ...(await toIgnoreFile(context)), ...args, '--', path === '' ? '.' : `./${path}`],
    {
      cwd: context.workspace.root,
      env: { LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const stop = () => child.kill('SIGKILL');
  context.signal.addEventListener('abort', stop, { once: true });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 4_000) errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A failed start is thrown below, where somebody waits for it.
  ended.catch(() => {});
  try {
    yield* createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
    const code = await ended;
    if (context.signal.aborted) throw new KlausError('cancelled', 'The search was stopped.');
    // 1 is "nothing found"; 2 with output is a file that could not be read, which is no failure.
    if (code === 2 && /regex|glob|pattern|unrecognized|error parsing/i.test(errors))
      throw new KlausError('tool.failed', errors.trim());
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new KlausError('tool.failed', `ripgrep did not start: ${error.message}`, { cause: error });
    throw error;
  } finally {
    context.signal.removeEventListener('abort', stop);
    stop();
  }
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

/** `.klausignore` at the top of the workspace holds more rules of the same kind. */
async function toIgnoreFile({ workspace }: ToolContext): Promise<string[]> {
  const state = await workspace.stat('.klausignore');
  if (state?.kind !== 'file') return [];
  return [`--ignore-file=${(await workspace.resolve('.klausignore')).absolute}`];
}
