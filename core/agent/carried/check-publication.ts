import { KlausError } from '../../protocol/index.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';
import type { Engine } from '../loop/engine.ts';
import { listNames } from '../workspace/unreverted-places.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf } from '../state/state.ts';
import { readKnownIds } from '../places/known-commits.ts';
import { isProtectedEntry, toEditKeys, toMode, toOwnEdits } from './accepted-contents.ts';

interface PublicationInput {
  /** The commit that is published. */
  commit: string;
  /** Commits of the repository of the user. */
  known: readonly string[];
}

/**
 * Checks a commit of a working copy before a branch of the user gets it. Each turn was checked when it ended; what remains
 * is what no turn covers: a turn whose process was killed, background processes, and sessions without states.
 *
 * @throws KlausError `copy.blocked` with the paths.
 */
export async function checkPublication(engine: Engine, session: string, input: PublicationInput): Promise<void> {
  const state = await loadState(engine, session);
  const opened = openedOf(state);
  const isUnchecked = opened.snapshots === false || state.openSnapshot !== undefined || state.processes.size > 0;
  if (!isUnchecked) return;
  const log = await readLog(engine.store, session);
  const snapshots = opened.snapshots === false ? undefined : await openSnapshotsOf(engine, opened);
  const checked = state.openSnapshot ?? state.left;
  const refs = checked?.gitTree === undefined ? [] : (snapshots?.git(checked.gitTree) ?? []);
  const own = refs.filter(({ path }) => path === '');
  const ids = own.flatMap(({ head, refs: named }) => [head, ...Object.values(named)]);
  const edits = toEditKeys(toOwnEdits(log));
  const workspace = await engine.openWorkspace(opened.workspace);
  const sandbox = await engine.openSandbox({
    name: opened.sandbox,
    workspace: opened.workspace,
    masks: async () => [],
  });
  const context = { workspace, sandbox, signal: new AbortController().signal };
  const judged = await engine.judgeContents(context, {
    repository: '',
    gitFolder: '.git',
    known: [...input.known, ...readKnownIds(log, ''), ...ids.filter((id) => /^[0-9a-f]{40,64}$/.test(id))],
    further: [],
    tips: [input.commit],
    entries: [],
    files: [],
    isPlace: isProtectedEntry,
    async accepts({ path, mode }, content) {
      if (!content) return false;
      const hash = engine.ids.digest(content);
      const entry = snapshots && checked && (await snapshots.entry(checked.tree, path));
      const isThere = entry !== undefined && entry.hash === hash && toMode(entry) === mode;
      return isThere || edits.has(`${mode} ${hash} ${path}`);
    },
  });
  const paths = [...new Set([...judged.carried.values()].flat().map(({ path }) => path))];
  if (paths.length === 0) return;
  throw new KlausError('copy.blocked', `The working copy has content that was not approved: ${listNames(paths)}.`, {
    hint: `Continue the session, which checks it, or look at it in ${opened.workspace} and commit what you want there yourself with another branch.`,
  });
}
