import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, sep } from 'node:path';

/** The first bytes of a compiled program. */
const COMPILED = '\x7fELF';
const MODULES = `${sep}node_modules`;

/** The mounts with which a program outside of the usual folders can run in the sandbox. @param at.folders Further ones. */
export function toProgramBinds(
  command: readonly string[],
  { workspace, folders = [] }: { workspace: string; folders?: readonly string[] },
): { path: string; writable: false }[] {
  const paths = [...command.flatMap((word) => toBind(word, workspace)), ...folders];
  return [...new Set(paths)].map((path) => ({ path, writable: false }));
}

/**
 * What the sandbox has to show for a word of a command: the outermost `node_modules` around a script, because packages
 * load each other; else the folder of its package, else the file itself.
 */
function toBind(word: string, workspace: string): string[] {
  if (!isAbsolute(word) || !existsSync(word)) return [];
  const real = realpathSync.native(word);
  if (real === workspace || real.startsWith(workspace + sep)) return [];
  const isAlone = isCompiled(real);
  return [...new Set([word, real])].flatMap((path) => {
    // The sandbox shows the programs of the system.
    if (path.startsWith(`${sep}usr${sep}`)) return [];
    const at = path.indexOf(MODULES + sep);
    if (at > 0 && !isAlone) return path.slice(0, at + MODULES.length);
    // A link in a folder of links leads to its program.
    if (isAlone && path !== real) return path;
    return findPackage(dirname(path)) ?? path;
  });
}

function isCompiled(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(COMPILED.length);
      return readSync(file, bytes) === bytes.length && bytes.toString('latin1') === COMPILED;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function findPackage(folder: string): string | undefined {
  if (folder === dirname(folder) || folder === homedir()) return undefined;
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder));
}
