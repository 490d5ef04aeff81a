import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { text } from 'node:stream/consumers';

/** The PATH of a person who has installed nothing but Node: nothing of this repository is on it. */
export const PLAIN_PATH = (process.env['PATH'] ?? '/usr/bin:/bin')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** What a surrounding `npm run` set for its own script. */
const INHERITED = /^(INIT_CWD|npm_(lifecycle|package)_.*|npm_command|npm_config_(local_|global_)?prefix)$/;

/** npm as typed in a shell in the folder `cwd`. @throws Error with what npm said, when it fails. */
export async function npm(words: readonly string[], cwd: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !INHERITED.test(name)));
  const child = spawn('npm', [...words, '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd,
    env: { ...env, PATH: PLAIN_PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`npm ${words.join(' ')} ended with ${code}: ${(complaints || said).trim()}`);
}
