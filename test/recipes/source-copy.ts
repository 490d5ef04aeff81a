import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A copy of the sources in which recipes are tried. */
export interface SourceCopy extends Disposable {
  folder: string;
  /** @throws Error with git's message if the diff does not apply. */
  apply(diff: string, direction?: 'reverse'): void;
  run(command: string): { status: number | null; output: string };
}

/** Copies every file that git knows or would add. Installed packages are links. */
export function createSourceCopy(): SourceCopy {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-recipe-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = spawnSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 });
  for (const path of stdout.split('\0').filter(Boolean)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { verbatimSymlinks: true });
  }
  linkPackages(folder);
  // What the type check has found before: only changed files are checked again.
  cpSync(join(ROOT, '.types'), join(folder, '.types'), { recursive: true, preserveTimestamps: true });
  return {
    folder,
    apply: (diff, direction) => {
      writeFileSync(join(folder, 'recipe.diff'), diff);
      const { status, stderr } = spawnSync('git', ['apply', ...(direction ? ['--reverse'] : []), 'recipe.diff'], {
        cwd: folder,
        encoding: 'utf8',
      });
      rmSync(join(folder, 'recipe.diff'));
      if (status !== 0) throw new Error(stderr);
    },
    run: (command) => {
      const bin = join(folder, 'node_modules/.bin');
      // The tests of the copy start its own sources.
      const { KLAUS_TEST_PROGRAM: _, PATH, ...inherited } = process.env;
      const env = { ...inherited, PATH: `${bin}:${PATH}` };
      const result = spawnSync('/bin/sh', ['-c', command], { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 << 20 });
      return { status: result.status, output: `${result.stdout}${result.stderr}` };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Our own packages lead into the copy, all others to what is installed. */
function linkPackages(folder: string): void {
  const installed = join(ROOT, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(installed)) {
    if (name === '.cache') continue;
    if (name === '@klaus' || lstatSync(join(installed, name)).isSymbolicLink())
      cpSync(join(installed, name), join(folder, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  }
  // npm puts a package into the folder of its user when another version is installed for all.
  for (const path of readWorkspaces()) {
    const own = join(ROOT, path, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, path, 'node_modules'));
  }
}

function readWorkspaces(): readonly string[] {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }).workspaces;
}
