import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, sep } from 'node:path';

/** The mounts with which a program outside of the usual folders can run in the sandbox. @param at.folders Further ones. */
export function toProgramBinds(
  command: readonly string[],
  { workspace, folders = [] }: { workspace: string; folders?: readonly string[] },
): { path: string; writable: false }[] {
  const paths = [...command.flatMap((word) => toBind(word, workspace)), ...folders];
  return [...new Set(paths)].map((path) => ({ path, writable: false }));
}

/**
 * What the sandbox has to show for a word of a command: the outermost `node_modules` around it, else the folder of its
 * package, else the file itself.
 */
function toBind(word: string, workspace: string): string[] {
  if (!isAbsolute(word) || !existsSync(word)) return [];
  const real = realpathSync.native(word);
  if (real === workspace || real.startsWith(workspace + sep)) return [];
  return [...new Set([word, real])].map((path) => {
    const at = path.indexOf(`${sep}node_modules${sep}`);
    return at > 0 ? path.slice(0, at + `${sep}node_modules`.length) : (findPackage(dirname(path)) ?? path);
  });
}

function findPackage(folder: string): string | undefined {
  if (folder === dirname(folder) || folder === homedir()) return undefined;
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder));
}
