import type { TreeId } from '../../protocol/index.ts';
import { EMPTY_STATE, readTextAt } from '../git/git-text.ts';
import type { Work } from '../loop/work.ts';
import { readKnownIds } from '../places/known-commits.ts';
import { joinPath } from '../places/resolve-inside.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { readLog } from '../state/load-state.ts';
import type { GitFile } from './git-file.ts';

const OBJECT_ID = /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g;
const REMOTE = /^refs\/remotes\//;

export interface KnownIds {
  known: string[];
  /** Ids in reflogs, which may be many. */
  further: string[];
}

/**
 * The object ids of a git folder whose content is known: what existed before the session, what the user made since, and
 * what the check of an earlier turn accepted. Remote-tracking refs that a command moved are not judged, so that they are
 * no evidence.
 *
 * @param state Git's own data before the turn.
 */
export async function readKnown(
  work: Work,
  { folder, repository }: Pick<GitFile, 'folder' | 'repository'>,
  state: TreeId | undefined,
): Promise<KnownIds> {
  const snapshots = await work.snapshots();
  const isMain = folder === joinPath(repository, '.git');
  const recorded = isMain ? readKnownIds(await readLog(work.engine.store, work.session), repository) : [];
  if (state === undefined) return { known: recorded, further: [] };
  const refs = isMain ? toRefs(snapshots, state, repository) : await readRefs(snapshots, state, folder);
  const links = isMain ? [] : await readGitlinks(snapshots, state, joinPath(repository, '.git'));
  const own = [...refs].flatMap(([name, id]) => (isMain && REMOTE.test(name) ? [] : [id]));
  return {
    known: [...new Set([...recorded, ...own, ...links])],
    further: await readLogs(snapshots, state, folder),
  };
}

function toRefs(snapshots: Snapshots, state: TreeId, repository: string): [name: string, id: string][] {
  const position = snapshots.git(state).find(({ path }) => path === repository);
  if (!position) return [];
  return [['HEAD', position.head] as [string, string], ...Object.entries(position.refs)].flatMap(([name, text]) =>
    (text.match(OBJECT_ID) ?? []).map((id): [string, string] => [name, id]),
  );
}

/** The refs of a submodule's git folder, from its files. */
async function readRefs(snapshots: Snapshots, state: TreeId, folder: string): Promise<[name: string, id: string][]> {
  const rows = await snapshots.changes(EMPTY_STATE, state);
  const found: [string, string][] = [];
  for (const { path, after } of rows) {
    if (after?.type !== 'file' || !path.startsWith(`${folder}/`)) continue;
    const name = path.slice(folder.length + 1);
    if (!/^(?:refs\/|packed-refs$|HEAD$)/.test(name)) continue;
    for (const id of ((await readTextAt(snapshots, state, path)) ?? '').match(OBJECT_ID) ?? []) found.push([name, id]);
  }
  return found;
}

/** Commits of submodules that the index of the repository around them names. */
async function readGitlinks(snapshots: Snapshots, state: TreeId, folder: string): Promise<string[]> {
  const index = await snapshots.entry(state, `${folder}/index`);
  const read = index ? await snapshots.compareIndexes(null, index) : undefined;
  return (read?.changes ?? []).flatMap(({ mode, blob }) => (mode === '160000' ? [blob] : []));
}

async function readLogs(snapshots: Snapshots, state: TreeId, folder: string): Promise<string[]> {
  const ids = new Set<string>();
  for (const name of ['HEAD', 'refs/stash', 'ORIG_HEAD']) {
    const text = await readTextAt(snapshots, state, `${folder}/${name === 'ORIG_HEAD' ? name : `logs/${name}`}`);
    for (const id of text?.match(OBJECT_ID) ?? []) ids.add(id);
  }
  return [...ids];
}
