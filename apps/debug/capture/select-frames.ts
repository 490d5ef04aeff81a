import { kindOfFile, packageOfFile } from '../stack/parse-stack.ts';

/**
 * Frames of installed packages whose variables are kept.
 *
 * - `path`: those through which the error passes from the throw to the code of the project.
 * - `all`: also those below the code of the project.
 * - `none`.
 * - names: of these packages, all.
 */
export type PackageFrames = 'path' | 'all' | 'none' | readonly string[];

/** The indexes of the frames whose variables are kept, of the files of a stack, the innermost first. */
export function selectFrames(
  files: readonly string[],
  { maxFrames, packages }: { maxFrames: number; packages: PackageFrames },
): Set<number> {
  const kinds = files.map((file) => kindOfFile(file));
  const user = kinds.flatMap((kind, index) => (kind === 'user' ? [index] : []));
  const first = user[0] ?? files.length;
  const isKept = (file: string, index: number): boolean => {
    if (kinds[index] !== 'package' || packages === 'none') return false;
    if (packages === 'all') return true;
    if (packages === 'path') return index < first;
    return packages.includes(packageOfFile(file) ?? '');
  };
  const others = files.flatMap((file, index) => (isKept(file, index) ? [index] : []));
  // The innermost frames of packages are those of the bug, and those of the project must not give way to them.
  const most = Math.max(maxFrames - user.length, Math.ceil(maxFrames / 2));
  const chosen = others.slice(0, Math.max(0, most));
  return new Set([...chosen, ...user.slice(0, Math.max(0, maxFrames - chosen.length))]);
}
