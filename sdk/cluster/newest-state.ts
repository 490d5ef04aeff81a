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
  let git: string | undefined;
  // A state of several folders begins with that of the workspace.
  const first = (state: string | undefined): string | undefined =>
    state === undefined ? undefined : splitState(state)[0];
  for (const event of await store.workspaceStates(workspace, MAX_EVENTS)) {
    if (event.type === 'workspace.snapshotted') {
      tree ??= first(event.tree);
      git ??= first(event.gitTree) ?? EMPTY_STATE;
    } else if (event.type === 'workspace.restored') {
      tree ??= first(event.to);
      git ??= first(event.git?.to);
    } else if (event.type === 'workspace.committed') git ??= first(event.gitTree);
    // The files after a check. The state of git's own data is not read after each one.
    else tree ??= first(event.evidence?.left ?? event.evidence?.tree);
    if (tree !== undefined && git !== undefined) break;
  }
  if (tree === undefined) return undefined;
  return git === undefined || git === EMPTY_STATE ? { tree } : { tree, git };
}
