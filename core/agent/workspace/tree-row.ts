import type { TreeChange, TreeEntry } from '../../protocol/index.ts';

/** The change from one entry to another; empty if both are the same. */
export function toChange(path: string, before: TreeEntry | null, after: TreeEntry | null): TreeChange[] {
  if (isSame(before, after)) return [];
  const kind = before === null ? 'created' : after === null ? 'deleted' : 'modified';
  return [{ path, kind, before, after }];
}

export function reverse({ path, before, after }: TreeChange): TreeChange {
  return toChange(path, after, before)[0]!;
}

/** True for the same type, content and mode. */
export function isSame(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (a === null || b === null) return a === b;
  return a.type === b.type && a.hash === b.hash && a.mode === b.mode;
}
