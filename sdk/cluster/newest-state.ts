import type { WorkspaceSource } from '@klaus/adapters/objects';
import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { EMPTY_STATE, splitState } from '@klaus/core/agent';

/** Events that are looked at: the last one need not name the state of git's own data. */
const MAX_EVENTS = 200;

/** The newest state of a workspace that any log names. Undefined before the first effect of its first session. */
export async function findNewestState(
  store: Pick<PostgresWorkerStore, 'workspaceStates'>,
  workspace: string,
): Promise<WorkspaceSource | undefined> {
  let tree: string | undefined;
  // A state of several folders begins with that of the workspace.
  const first = (state: string): string => splitState(state)[0]!;
  for (const event of await store.workspaceStates(workspace, MAX_EVENTS)) {
    if (event.type === 'workspace.snapshotted') {
      const git = event.gitTree === undefined ? EMPTY_STATE : first(event.gitTree);
      return { tree: tree ?? first(event.tree), ...(git === EMPTY_STATE ? {} : { git }) };
    }
    if (event.type === 'tool.finished') {
      // The files after a check. The state of git's own data is not read after each one.
      if (event.evidence?.tree !== undefined) tree ??= first(event.evidence.left ?? event.evidence.tree);
      continue;
    }
    tree ??= first(event.to);
    const git = event.git && first(event.git.to);
    if (git !== undefined) return { tree, ...(git === EMPTY_STATE ? {} : { git }) };
  }
  return tree === undefined ? undefined : { tree };
}
