import type { TreeEntry, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/** The state without entries: the SHA-256 of an empty text. */
export const EMPTY_STATE: TreeId = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Klaus's own checkpoints among the paths of git's own data. */
export const OWN_REFS = /\/(?:logs\/)?refs\/klaus(?:\/|$)/;

/** Larger files are not read as configuration or list of refs. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/** Content of a file in a state as text; undefined if it is no file. */
export async function readText(snapshots: Snapshots, entry: TreeEntry | null | undefined): Promise<string | undefined> {
  if (entry?.type !== 'file' || entry.size > MAX_BYTES || !snapshots.isStored(entry)) return undefined;
  return new TextDecoder().decode(await snapshots.content(entry));
}

export async function readTextAt(snapshots: Snapshots, state: TreeId, path: string): Promise<string | undefined> {
  return readText(snapshots, await snapshots.entry(state, path));
}
