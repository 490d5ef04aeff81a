import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { readLog, readTurnHistory, type SessionRow, type SessionStore, type TurnHistory } from '@klaus/core/agent';
import { findOutsideFolders, type OutsideFoldersInput } from '../open/outside-folders.ts';

/** Sessions of the folder that are looked through. */
const LOOKED_THROUGH = 500;

/**
 * What the latest session has to have: something that an undo can undo, an undo that can be made again, a turn with a
 * state of the workspace, checks that its last run recorded, or no reason that it cannot take another prompt: it is
 * closed, it was begun by another session, or it reads another folder around the workspace.
 */
export type LatestWith = 'changes' | 'undone' | 'turns' | 'checks' | 'prompts';

const FITS: Readonly<Record<Exclude<LatestWith, 'checks' | 'prompts'>, (history: TurnHistory) => boolean>> = {
  changes: ({ turns }) => turns.some(({ isUndone, before, after }) => !isUndone && before !== after),
  undone: ({ redoable }) => redoable.length > 0,
  turns: ({ turns }) => turns.length > 0,
};

/** What `Klaus.latest` is asked for. */
export interface LatestOptions {
  /** Only one that has this. Default: any. */
  with?: LatestWith;
  /** Default: the folder Klaus was opened in. */
  workspace?: string;
  /** For `prompts`: the folder around the workspace that the session reads. Default: the one that a new one would read. */
  root?: string;
}

interface LatestQuery {
  /** Absolute real path. */
  workspace: string;
  needed: LatestWith | undefined;
  /** What may be read around the workspace, as {@link findRootAround} says. */
  root: string | undefined;
}

/** Id of the newest session of a folder that fits. */
export async function findLatestSession(
  { with: needed, workspace: given, root }: LatestOptions,
  at: Pick<OutsideFoldersInput, 'configuration' | 'cwd' | 'state'> & { store: SessionStore },
): Promise<string | undefined> {
  const { store, configuration, cwd } = at;
  const workspace = toRealPath(resolve(cwd, given ?? configuration.get('workspace')));
  if (needed !== 'prompts') return findLatest(store, { workspace, needed, root: undefined });
  const { readable } = findOutsideFolders({ ...at, given: root === undefined ? {} : { root }, workspace });
  return findLatest(store, { workspace, needed, root: findRootAround(workspace, readable) });
}

async function findLatest(store: SessionStore, { workspace, needed, root }: LatestQuery): Promise<string | undefined> {
  if (needed === undefined) return (await store.latestSession(workspace))?.id;
  const rows = await store.sessions({ workspace, limit: LOOKED_THROUGH });
  const hasNeeded = async ({ id, parent, status }: SessionRow): Promise<boolean> => {
    if (needed === 'prompts') {
      if (parent !== null || status === 'closed') return false;
      const opened = await store.lastOf(id, ['session.opened']);
      return opened?.type === 'session.opened' && findRootAround(workspace, opened.readable ?? []) === root;
    }
    if (needed === 'checks') {
      const last = await store.lastOf(id, ['run.finished']);
      return last?.type === 'run.finished' && last.evidence.length > 0;
    }
    // Cheap, and true of most that fit.
    if ((await store.lastOf(id, ['workspace.snapshotted'])) === undefined) return false;
    return FITS[needed](readTurnHistory(await readLog(store, id)));
  };
  for (const row of rows) if (await hasNeeded(row)) return row.id;
  return undefined;
}

/** The outermost of some readable folders that holds the workspace. */
function findRootAround(workspace: string, readable: readonly string[]): string | undefined {
  return readable.find((path) => workspace.startsWith(`${path}/`));
}

/** As it is, where nothing is there. */
export function toRealPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}
