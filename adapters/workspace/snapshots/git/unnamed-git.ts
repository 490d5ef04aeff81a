import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/** Entries that are looked at below one folder. */
const MAX_ENTRIES = 20_000;
const SLASH = Buffer.from('/');

/**
 * Relative paths of git folders below a folder whose name cannot be said in a path, with `\uFFFD` for what is not
 * UTF-8. Nothing else of such a folder is known.
 *
 * @param absolute The folder, as bytes.
 * @param relative What it is called in the result.
 */
export function findUnnamedGit(absolute: Buffer, relative: string): string[] {
  const found: string[] = [];
  const open = [{ absolute, relative }];
  let left = MAX_ENTRIES;
  for (let folder = open.pop(); folder && left > 0; folder = open.pop()) {
    const entries = list(folder.absolute);
    const names = new Set(entries.map(({ name }) => name.toString('utf8')));
    const isBare =
      !folder.relative.endsWith('/.git') &&
      names.has('HEAD') &&
      (names.has('commondir') || (names.has('objects') && names.has('refs')));
    if (names.has('.git') || isBare) found.push(join(folder.relative, '.git'));
    left -= entries.length;
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const path = Buffer.concat([folder.absolute, SLASH, entry.name]);
      open.push({ absolute: path, relative: join(folder.relative, entry.name.toString('utf8')) });
    }
  }
  return found;
}

function list(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    return [];
  }
}
