import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { toNameText } from '../../byte-names.ts';

const MAX_ENTRIES = 20_000;
const SLASH = Buffer.from('/');

/**
 * Relative paths of git folders in a folder whose name is not valid UTF-8. States do not contain them.
 *
 * @param absolute Path of the folder, as bytes.
 * @param relative Path of the folder in the result.
 */
export function findUnnamedGit(absolute: Buffer, relative: string): string[] {
  const found: string[] = [];
  const open = [{ absolute, relative }];
  let left = MAX_ENTRIES;
  for (let folder = open.pop(); folder && left > 0; folder = open.pop()) {
    let entries: Dirent<Buffer>[];
    try {
      entries = readdirSync(folder.absolute, { withFileTypes: true, encoding: 'buffer' });
    } catch {
      continue;
    }
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
      open.push({ absolute: path, relative: join(folder.relative, toNameText(entry.name)) });
    }
  }
  return found;
}
