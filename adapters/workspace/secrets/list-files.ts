import { spawn } from 'node:child_process';
import { KlausError } from '@klaus/core/protocol';

/**
 * Files below a folder as ripgrep lists them: relative, in no order, hidden ones too. It follows no link and runs
 * nothing that the files say.
 *
 * @param args Further options of ripgrep.
 * @throws KlausError `tool.failed` when the search does not start or fails.
 */
export async function listFiles(root: string, args: readonly string[]): Promise<string[]> {
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(rgPath, ['--files', ...COMMON, ...args, '--', '.'], {
    cwd: root,
    env: { LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
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
    throw new KlausError('tool.failed', 'ripgrep did not start.', { cause: error });
  });
  // 1 is "nothing found"; 2 with output is a folder that could not be read. A bad glob ends it without any.
  if (code === null || (code === 2 && /glob/i.test(errors)))
    throw new KlausError('tool.failed', `The list of files failed: ${errors.trim() || 'it was stopped'}`);
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
