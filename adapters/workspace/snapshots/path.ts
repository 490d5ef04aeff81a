import { KlausError, type TreeEntry } from '@klaus/core/protocol';
import { shorten } from '../path-entry.ts';
import type { TreeEdit } from './restore/edit-tree.ts';

/** @throws KlausError `usage` for a path that no state can hold. */
export function checkPath(path: string, excluded: ReadonlySet<string>, isGit = false): void {
  const names = path.split('/');
  const isPlain =
    path.isWellFormed() &&
    !path.includes('\0') &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255);
  if (!isPlain) throw new KlausError('usage', `"${shorten(path)}" is no path inside a workspace.`);
  if (names.includes('.git') !== isGit)
    throw new KlausError(
      'usage',
      `${shorten(path)} is ${isGit ? 'outside' : 'inside'} .git, which is not restored here.`,
    );
  if (names.some((_, i) => excluded.has(names.slice(0, i + 1).join('/')))) {
    throw new KlausError('usage', `${shorten(path)} is Klaus's own state, which is not restored.`);
  }
}

/** A directory keeps what is in it. */
export function toEdit(entry: TreeEntry | null): TreeEdit {
  if (!entry) return null;
  const { type, mode, size, hash } = entry;
  return { type, mode, size, hash: type === 'directory' ? undefined : Buffer.from(hash, 'hex') };
}
