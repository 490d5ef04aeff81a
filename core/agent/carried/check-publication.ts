import { toRelative } from '../../policy/index.ts';
import { KlausError } from '../../protocol/index.ts';
import type { ContentEntry, ContentQuery, JudgedContents } from '../ports/committed-files.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';
import type { Engine } from '../loop/engine.ts';
import { listNames } from '../workspace/unreverted-places.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf } from '../state/state.ts';
import { readKnownIds } from '../places/known-commits.ts';
import { isProtectedEntry, toEditKeys, toMode, toOwnEdits } from './accepted-contents.ts';

interface PublicationInput {
  /** Top of the working copy, or of the repository if the copy was removed: absolute real path. */
  folder: string;
  /** Default `.git`. */
  gitFolder?: string;
  /** The commit that is published. */
  commit: string;
  /** Commits of the repository of the user. */
  known: readonly string[];
  /** Paths that the configuration of that repository names now. */
  places: readonly string[];
  /** Those that it named when the session began, which each turn has checked. */
  checkedPlaces: readonly string[];
}

/**
 * Checks a commit of a working copy before a branch of the user gets it. Each turn was checked when it ended; what remains
 * is what no turn covers: a turn whose process was killed, background processes, sessions without states, and places that
 * the user's configuration names since the session began.
 *
 * @throws KlausError `copy.blocked` with the paths.
 */
export async function checkPublication(engine: Engine, session: string, input: PublicationInput): Promise<void> {
  const state = await loadState(engine, session);
  const opened = openedOf(state);
  const isUnchecked = opened.snapshots === false || state.openSnapshot !== undefined || state.processes.size > 0;
  const added = input.places.filter((place) => !input.checkedPlaces.includes(place));
  if (!isUnchecked && added.length === 0) return;
  const log = await readLog(engine.store, session);
  const snapshots = opened.snapshots === false ? undefined : await openSnapshotsOf(engine, opened);
  const checked = state.openSnapshot ?? state.left;
  const refs = checked?.gitTree === undefined ? [] : (snapshots?.git(checked.gitTree) ?? []);
  const own = refs.filter(({ path }) => path === '');
  const ids = own.flatMap(({ head, refs: named }) => [head, ...Object.values(named)]);
  const edits = toEditKeys(toOwnEdits(log));
  /** The path in the folder of the session. */
  const toOwn = (path: string): string | undefined =>
    opened.workspace === input.folder ? path : toRelative(`${input.folder}/${path}`, opened.workspace);
  const isEdit = ({ path, mode }: ContentEntry, content: Uint8Array): boolean => {
    const inside = toOwn(path);
    return inside !== undefined && edits.has(`${mode} ${engine.ids.digest(content)} ${inside}`);
  };
  const isIn = (places: readonly string[], path: string): boolean =>
    places.some((place) => path === place || path.startsWith(`${place}/`));
  const query = {
    ...{
      repository: '',
      gitFolder: input.gitFolder ?? '.git',
      further: [],
      tips: [input.commit],
      indexes: { entries: [], isComplete: true },
      files: [],
    },
    known: input.known,
  };
  const workspace = await engine.openWorkspace(input.folder);
  const sandbox = await engine.openSandbox({ name: opened.sandbox, workspace: input.folder, masks: async () => [] });
  const context = { workspace, sandbox, signal: new AbortController().signal };
  const found: JudgedContents[] = [];
  // No turn has looked at these places, so that what a turn left there is no evidence.
  const judgesAdded: ContentQuery = {
    ...query,
    isPlace: (path) => isIn(added, path),
    accepts: async (entry, content) => content !== undefined && isEdit(entry, content),
  };
  if (added.length > 0) found.push(await engine.judgeContents(context, judgesAdded));
  const judgesAll: ContentQuery = {
    ...query,
    known: [...input.known, ...readKnownIds(log, ''), ...ids.filter((id) => /^[0-9a-f]{40,64}$/.test(id))],
    isPlace: (path, mode) => isProtectedEntry(path, mode) || isIn(input.places, path),
    async accepts(entry, content) {
      const path = toOwn(entry.path);
      if (!content || path === undefined) return false;
      const there = snapshots && checked && (await snapshots.entry(checked.tree, path));
      const isThere = there !== undefined && there.hash === engine.ids.digest(content) && toMode(there) === entry.mode;
      return isThere || isEdit(entry, content);
    },
  };
  if (isUnchecked) found.push(await engine.judgeContents(context, judgesAll));
  const paths = [...new Set(found.flatMap(({ carried }) => [...carried.values()].flat()).map(({ path }) => path))];
  if (paths.length === 0) return;
  throw new KlausError('copy.blocked', `The working copy has content that was not approved: ${listNames(paths)}.`, {
    hint: `Continue the session, which checks it, or look at it in ${opened.workspace} and commit what you want there yourself with another branch.`,
  });
}
