import {
  collectWorkspaces,
  findSource,
  toWorkspaceName,
  type GarbageReport,
  type ObjectStore,
} from '@klaus/adapters/objects';
import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { findNeeded, findStates } from '../engine/snapshots.ts';
import { findNewestState } from './newest-state.ts';

export interface CollectArchiveOptions {
  objects: ObjectStore;
  store: Pick<PostgresWorkerStore, 'sessions' | 'read' | 'approvals' | 'lastOf' | 'workspaceStates'>;
  /** Unix milliseconds: of sessions without an event since then only the newest state of their workspace is kept. */
  since: number;
  dryRun: boolean;
}

/** Deletes packs and states of workspaces that no log needs. The first state of a workspace is kept with its sessions. */
export async function collectArchive({ objects, store, since, dryRun }: CollectArchiveOptions): Promise<GarbageReport> {
  const workspaces = new Map<string, Set<string>>();
  const findUsed = async (workspace: string): Promise<ReadonlySet<string>> => workspaces.get(workspace) ?? new Set();
  const use = (root: string, trees: readonly (string | undefined)[]): void => {
    const name = toWorkspaceName(root);
    const known = workspaces.get(name) ?? new Set();
    for (const tree of trees) if (tree !== undefined) known.add(tree);
    workspaces.set(name, known);
  };
  const sessions = await store.sessions({ limit: Number.MAX_SAFE_INTEGER });
  const needed = await findNeeded({ store, since }, sessions);
  const recent = sessions.filter(({ id }) => needed.has(id));
  for (const [root, trees] of await findStates(store, recent)) use(root, trees);
  for (const root of new Set(sessions.map(({ workspace }) => workspace))) {
    const newest = await findNewestState(store, root);
    const source = await findSource(objects, toWorkspaceName(root));
    use(root, [newest?.tree, newest?.git, source?.tree, source?.git]);
  }
  return await collectWorkspaces(objects, { findUsed, dryRun });
}
