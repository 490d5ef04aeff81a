import { readStored, writeStored } from '../state/storage.ts';
import { createStore } from '../state/store.ts';
import type { ChangedFile } from './changed-file.ts';

const KEY = 'klaus.viewed';

/** Maximum number of sessions whose marks are stored. The oldest are dropped. */
const MAX_SESSIONS = 100;

/** The versions of files that the user has viewed, by path. */
type Versions = Readonly<Record<string, string>>;

/** The marks of this browser, by session, the latest last. */
export const viewed = createStore<ReadonlyMap<string, Versions>>(read());

/** True if the file was marked in its present version. */
export function isViewed(all: ReadonlyMap<string, Versions>, session: string, file: ChangedFile): boolean {
  const versions = all.get(session);
  return versions !== undefined && Object.hasOwn(versions, file.path) && versions[file.path] === file.version;
}

export function markViewed(session: string, { path, version }: ChangedFile, isMarked: boolean): void {
  const all = new Map(viewed.get());
  const { [path]: _, ...others } = all.get(session) ?? {};
  all.delete(session);
  const versions = isMarked ? { ...others, [path]: version } : others;
  if (Object.keys(versions).length > 0) all.set(session, versions);
  viewed.set(new Map([...all].slice(-MAX_SESSIONS)));
  writeStored(KEY, [...viewed.get()]);
}

function read(): ReadonlyMap<string, Versions> {
  const stored = readStored(KEY);
  return new Map(Array.isArray(stored) ? stored.filter(isStored) : []);
}

function isStored(entry: unknown): entry is [string, Versions] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const versions: unknown = entry[1];
  return (
    typeof versions === 'object' && versions !== null && Object.values(versions).every((it) => typeof it === 'string')
  );
}
