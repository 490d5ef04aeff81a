import { resolve } from 'node:path';
import { readLog, readTurnHistory, type SessionRow, type SessionStore, type TurnHistory } from '@klaus/core/agent';
import { isServiceModel } from '@klaus/core/protocol';
import { findOutsideFolders, type OutsideFoldersInput, toRealPath } from '../open/outside-folders.ts';

/** Maximum number of sessions that are checked. */
const MAX_CHECKED = 500;

/**
 * A condition on the latest session: changes that can be undone, an undo that can be redone, a turn with a snapshot, checks
 * in its last run, or that it can take another prompt. A session cannot if it is closed, was started by another session, or
 * reads another folder around the workspace. `chat`: it can, and it was opened as a chat.
 */
export type LatestWith = 'changes' | 'undone' | 'turns' | 'checks' | 'prompts' | 'chat';

const FITS: Readonly<Record<Exclude<LatestWith, 'checks' | 'prompts' | 'chat'>, (history: TurnHistory) => boolean>> = {
  changes: ({ turns }) =>
    turns.some(
      ({ isUndone, before, after, gitBefore, gitAfter }) => !isUndone && (before !== after || gitBefore !== gitAfter),
    ),
  undone: ({ redoable }) => redoable.length > 0,
  turns: ({ turns }) => turns.length > 0,
};

export interface LatestOptions {
  /** Only a session that meets this condition. Default: any. */
  with?: LatestWith;
  /** Only this session and its child sessions. Default: all. */
  of?: string;
  /** Default: the folder in which Klaus was created. */
  workspace?: string;
  /** For `prompts` and `chat`: the folder around the workspace that the session reads. Default: that of a new session. */
  root?: string;
  /** For `chat`: the agent that it was opened as. Default: Klaus itself. */
  agent?: string;
}

/** Id of the newest matching session of a folder, without those that a command opened for its own calls. */
export async function findLatestSession(
  { with: needed, of, workspace: given, root, agent }: LatestOptions,
  at: Pick<OutsideFoldersInput, 'configuration' | 'cwd' | 'state'> & { store: SessionStore },
): Promise<string | undefined> {
  const { store, configuration, cwd } = at;
  const workspace = toRealPath(resolve(cwd, given ?? configuration.get('workspace')));
  if (needed === undefined) return (await store.latestSession(workspace))?.id;
  const takesPrompts = needed === 'prompts' || needed === 'chat';
  const outside = takesPrompts ? findOutsideFolders({ ...at, given: { root }, workspace }) : undefined;
  /** The readable folder around the workspace. */
  const around = outside && findRootAround(workspace, outside.readable);
  const hasNeeded = async ({ id, parent, status }: SessionRow): Promise<boolean> => {
    if (needed === 'prompts' || needed === 'chat') {
      if (parent !== null || status === 'closed') return false;
      const opened = await store.lastOf(id, ['session.opened']);
      if (needed === 'chat' && (opened?.chat !== true || opened.agent !== agent)) return false;
      return opened?.type === 'session.opened' && findRootAround(workspace, opened.readable ?? []) === around;
    }
    if (needed === 'checks') {
      const last = await store.lastOf(id, ['run.finished']);
      return last?.type === 'run.finished' && last.evidence.length > 0;
    }
    // A cheap check first.
    if ((await store.lastOf(id, ['workspace.snapshotted'])) === undefined) return false;
    return FITS[needed](readTurnHistory(await readLog(store, id)));
  };
  const found = await store.sessions({ workspace, limit: MAX_CHECKED });
  const rows = of === undefined ? found.filter(({ model }) => !isServiceModel(model)) : found;
  const parents = new Map(rows.map(({ id, parent }) => [id, parent]));
  const isOf = (id: string | null | undefined): boolean => id === of || (id != null && isOf(parents.get(id)));
  for (const row of rows) if ((of === undefined || isOf(row.id)) && (await hasNeeded(row))) return row.id;
  return undefined;
}

/** The outermost readable folder that contains the workspace. */
function findRootAround(workspace: string, readable: readonly string[]): string | undefined {
  return readable.find((path) => workspace.startsWith(`${path}/`));
}
