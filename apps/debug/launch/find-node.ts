import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { KlendathuError } from '../investigate/klendathu-error.ts';

/** First version of Node.js with which the CLI runs. */
const NEEDED = 24;

/**
 * Path of a Node.js for the CLI: this one, the one of the variable `KLENDATHU_NODE`, the one that a package next to
 * the CLI brings, or one of the `PATH`.
 *
 * @throws KlendathuError `node-missing`
 */
export async function findNode(cli: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const own = env['KLENDATHU_NODE'];
  if (own === undefined && isEnough(process.versions.node) && !process.versions['bun']) return process.execPath;
  const candidates = own === undefined ? [...findPackaged(cli), ...findInPath('node', env)] : [own];
  for (const candidate of candidates) {
    if (await runs(candidate)) return candidate;
  }
  throw new KlendathuError(
    'node-missing',
    `The agent needs Node.js ${NEEDED} or newer, and this program runs with ${process.versions.node}.`,
    {
      hint: `Install it, or set KLENDATHU_NODE to its path: npm install node-${process.platform}-${process.arch}@${NEEDED}`,
    },
  );
}

/** Files of this name in the folders of `PATH`. */
export function findInPath(name: string, env: Readonly<Record<string, string | undefined>>): string[] {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) =>
      (process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name]).map((file) => join(folder, file)),
    )
    .filter((path) => existsSync(path));
}

function findPackaged(cli: string): string[] {
  const require = createRequire(pathToFileURL(cli));
  return [`node-${process.platform}-${process.arch}/package.json`].flatMap((name) => {
    try {
      return [join(require.resolve(name), '../bin/node')];
    } catch {
      return [];
    }
  });
}

async function runs(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    return isEnough(stdout.trim().slice(1));
  } catch {
    return false;
  }
}

function isEnough(version: string): boolean {
  return Number.parseInt(version, 10) >= NEEDED;
}
