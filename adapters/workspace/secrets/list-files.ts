import { spawn } from 'node:child_process';
import { KlausError } from '@klaus/core/protocol';

/** Milliseconds after which a search ends, because a named pipe as an ignore file would block it permanently. */
const LIST_MS = 120_000;

/**
 * Lists the files in a folder with ripgrep: relative paths in no order, including hidden files. Links are not followed.
 *
 * @param args Additional options of ripgrep.
 * @param signal Default: {@link LIST_MS} later.
 * @throws KlausError `tool.failed` when the search does not start or fails.
 */
export async function listFiles(
  root: string,
  args: readonly string[],
  signal = AbortSignal.timeout(LIST_MS),
): Promise<string[]> {
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(rgPath, ['--files', ...COMMON, ...args, '--', '.'], {
    cwd: root,
    env: { LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 4_000) errors += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((error: unknown) => {
    if (signal.aborted)
      throw new KlausError('tool.failed', `The files of ${root} could not be listed in time.`, {
        hint: 'A named pipe as an ignore file stops the search: find it with `find . -type p`.',
      });
    throw new KlausError('tool.failed', 'ripgrep could not be started.', { cause: error });
  });
  // 1 means no result, 2 with output an unreadable folder. An invalid glob causes 2 without output.
  if (code === null || (code === 2 && /glob/i.test(errors)))
    throw new KlausError('tool.failed', `The files could not be listed: ${errors.trim() || 'ripgrep was stopped'}`);
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => path.replace(/^\.\//, ''));
}

const COMMON = [
  '--no-config',
  '--no-follow',
  '--no-require-git',
  '--no-messages',
  '--hidden',
  '--null',
  '--color=never',
];
