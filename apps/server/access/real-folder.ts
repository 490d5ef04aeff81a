import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** The real path; for a missing path, the real path of its nearest existing parent with the rest appended. */
export function toReal(path: string): { path: string; exists: boolean } {
  const given = resolve(path.replaceAll('\0', '\uFFFD'));
  const rest: string[] = [];
  for (let at = given; ; at = dirname(at)) {
    try {
      const real = realpathSync.native(at);
      return { path: join(real, ...rest), exists: rest.length === 0 && statSync(real).isDirectory() };
    } catch {
      if (at === dirname(at)) return { path: given, exists: false };
      rest.unshift(basename(at));
    }
  }
}

/** True if the folder is `path` or contains it. */
export function holds(folder: string, path: string): boolean {
  if (path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return true;
  const identity = identityOf(folder);
  return identity !== undefined && ancestors(path).some((each) => identityOf(each) === identity);
}

/** The path itself first. */
export function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

/** True for the same path, or the same folder under another name, such as a bind mount or another case. */
export function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [identityOf(a), identityOf(b)];
  return one !== undefined && one === other;
}

/** Tests whether a path is one of these folders, under any name. */
export function createFolderSet(folders: readonly string[]): (path: string) => boolean {
  const names = new Set(folders.flatMap((folder) => [folder, toReal(folder).path]));
  const identities = new Set(folders.map(identityOf).filter((identity) => identity !== undefined));
  return (path) => names.has(path) || identities.has(identityOf(path) ?? '');
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
