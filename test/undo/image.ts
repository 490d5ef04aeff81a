import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Type, mode and content of everything below a folder, by path; `.git` and the folder itself are left out. */
export type Image = ReadonlyMap<string, string>;

export function readImage(root: string): Image {
  const image = new Map<string, string>();
  read(root, '', image);
  return image;
}

function read(root: string, folder: string, image: Map<string, string>): void {
  for (const name of readdirSync(join(root, folder)).toSorted()) {
    if (name === '.git') continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const file = join(root, path);
    const stat = lstatSync(file);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) image.set(path, `link ${readlinkSync(file)}`);
    else if (stat.isDirectory()) {
      image.set(path, `directory ${mode}`);
      read(root, path, image);
    } else if (stat.isFile()) {
      image.set(path, `file ${mode} ${stat.size} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
    } else image.set(path, 'other');
  }
}

/** Paths at which two images differ, with both entries. */
export function compareImages(found: Image, wanted: Image): string[] {
  const paths = [...new Set([...found.keys(), ...wanted.keys()])].toSorted();
  return paths
    .filter((path) => found.get(path) !== wanted.get(path) && !isPlaceholder(path, { found, wanted }))
    .map(
      (path) => `${JSON.stringify(path)}: ${found.get(path) ?? 'nothing'} instead of ${wanted.get(path) ?? 'nothing'}`,
    );
}

/** An empty folder `.klaus` is taken for a placeholder of the sandbox, which an undo neither removes nor creates. */
function isPlaceholder(path: string, { found, wanted }: { found: Image; wanted: Image }): boolean {
  if (path !== '.klaus' || (found.has(path) && wanted.has(path))) return false;
  const isEmpty = ![...found.keys(), ...wanted.keys()].some((other) => other.startsWith('.klaus/'));
  return isEmpty && (found.get(path) ?? wanted.get(path))!.startsWith('directory');
}
