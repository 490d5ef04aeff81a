import { KlausError, type TreeEntry } from '@klaus/core/protocol';
import { toFileName } from '../byte-names.ts';
import { shorten, toAncestors } from '../path-entry.ts';
import type { TreeEdit } from './restore/edit-tree.ts';

/** @throws KlausError `usage` for a path that a snapshot cannot contain. */
export function checkPath(path: string, excluded: ReadonlySet<string>, isGit = false): void {
  const names = path.split('/');
  const isPlain =
    path.isWellFormed() &&
    !path.includes('\0') &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && Buffer.from(toFileName(name)).length <= 255);
  if (!isPlain) throw new KlausError('usage', `"${shorten(path)}" is not a valid path in a workspace.`);
  if (names.includes('.git') !== isGit)
    throw new KlausError(
      'usage',
      `${shorten(path)} is ${isGit ? 'outside' : 'inside'} .git and cannot be restored by this operation.`,
    );
  if ([...toAncestors(path), path].some((above) => excluded.has(above))) {
    throw new KlausError('usage', `${shorten(path)} is Klaus's own state, which cannot be restored.`);
  }
}

/** Converts an entry to an edit. A directory keeps its content. */
export function toEdit(entry: TreeEntry | null): TreeEdit {
  if (!entry) return null;
  const { type, mode, size, hash } = entry;
  return { type, mode, size, hash: type === 'directory' ? undefined : Buffer.from(hash, 'hex') };
}

/** Normalizes a path for states. @throws KlausError `usage` when it leaves the workspace. */
export function toPlain(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (path.startsWith('/') || path.includes('\0') || names.includes('..')) {
    throw new KlausError('usage', `"${path}" is not a path in the workspace.`);
  }
  return names.join('/');
}
