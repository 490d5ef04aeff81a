import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isPlaceholder } from '@klaus/adapters/sandboxes';
import { expireCheckpoints } from '@klaus/adapters/tools';
import {
  createLayers,
  createSnapshots,
  listSnapshotStores,
  type LocalSnapshots,
  type SnapshotsOptions,
} from '@klaus/adapters/workspace';
import { readLog, splitState, type SessionRow, type SessionStore, type Snapshots } from '@klaus/core/agent';
import type { TreeId } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { isFolder } from '../open/outside-folders.ts';
import { statesOf } from './named-states.ts';

export type OpenSnapshots = ReturnType<typeof createOpenSnapshots>;

/**
 * The snapshots of every workspace, opened once and closed together.
 *
 * @param options.wrap Adds to the snapshots of a workspace, given its path, such as an archive: then all content is
 *   stored, because other machines have no tool to rebuild what is missing. Default: nothing.
 * @param options.configurations Their settings count when a workspace is opened. Default: none.
 */
export function createOpenSnapshots(
  home: string,
  {
    wrap,
    configurations,
  }: {
    wrap?: (local: LocalSnapshots, root: string) => Snapshots;
    configurations?: { readonly current: Configuration };
  } = {},
) {
  const opened = new Map<string, Promise<LocalSnapshots>>();
  const wrapped = new Map<string, Promise<Snapshots>>();
  const folders = new Map<string, string | undefined>();
  /** Of folders that were replaced. A turn that began before still has them, and fails. */
  const replaced: Promise<LocalSnapshots>[] = [];
  return {
    open(root: string): Promise<Snapshots> {
      const known = wrapped.get(root);
      const folder = readIdentity(root);
      if (known && (folder === undefined || folder === folders.get(root))) return known;
      const before = opened.get(root);
      if (before) replaced.push(before);
      folders.set(root, folder);
      const settings = configurations && toSettings(configurations.current);
      const snapshots = createSnapshots(root, { ...toOptions(home), ...settings, ...(wrap ? { cover: 'all' } : {}) });
      const result = wrap ? snapshots.then((local) => wrap(local, root)) : snapshots;
      opened.set(root, snapshots);
      wrapped.set(root, result);
      return result;
    },
    /** Absolute paths of the repositories of a workspace and of other open folders, as of the last snapshots. */
    async repositories(root: string): Promise<string[]> {
      await opened.get(root);
      const all = [...opened].map(async ([folder, snapshots]) =>
        (await snapshots).repositories.map((path) => join(folder, path)),
      );
      // The operation that needs a failed store reports its error.
      const found = await Promise.allSettled(all);
      return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    },
    /** Closes the snapshots of one workspace, such as when its folder was removed. The next `open` opens them again. */
    async forget(root: string): Promise<void> {
      const snapshots = opened.get(root);
      opened.delete(root);
      wrapped.delete(root);
      const [result] = await Promise.allSettled([snapshots]);
      if (result.status === 'fulfilled') result.value?.close();
    },
    async close(): Promise<void> {
      const all = await Promise.allSettled([...opened.values(), ...replaced.splice(0)]);
      opened.clear();
      wrapped.clear();
      for (const each of all) if (each.status === 'fulfilled') each.value.close();
    },
  };
}

/** Which folder is at a path; undefined for none. */
function readIdentity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function toOptions(home: string) {
  return { stateDir: join(home, 'snapshots'), klausHome: home, isPlaceholder };
}

function toSettings(configuration: Configuration): Pick<SnapshotsOptions, 'limits' | 'cover'> {
  const limits = { workspace: configuration.get('undo.maxBytes'), total: configuration.get('undo.maxTotalBytes') };
  return { limits, cover: configuration.get('undo.cover') };
}

export interface GcOptions {
  store: SessionStore;
  home: string;
  /** Unix milliseconds: states that only sessions without an event since then need are deleted. */
  since: number;
  /** Only reports what would be freed. */
  dryRun: boolean;
}

/** The freed space of one workspace. */
export interface GcRow {
  /** Absolute path of the workspace. */
  workspace: string;
  /** Bytes of its snapshots. */
  bytes: number;
  states: number;
  freed: number;
  /** Refs of checkpoints that were deleted in its repository; Git frees their objects at its next `gc`. */
  checkpoints: number;
  /** True when the workspace does not exist, which may be temporary. Its snapshots are deleted when no session needs them. */
  isGone: boolean;
}

export interface GcSummary {
  workspaces: GcRow[];
  /** Bytes of working copies that are cached between isolated commands. They are recreated when needed. */
  copies: number;
  /** Bytes of downloads of `klaus fetch` for workspaces that do not exist or that no session used since. */
  fetched: number;
}

/**
 * Deletes states that no undo can need any more: those of deleted sessions and of sessions without an event since. States of
 * the last hour and of open questions are not deleted.
 */
export async function collectGarbage(options: GcOptions): Promise<GcSummary> {
  const { home, dryRun } = options;
  const sessions = await options.store.sessions({ limit: Number.MAX_SAFE_INTEGER });
  const needed = await findNeeded(options, sessions);
  const used = sessions.filter(({ id }) => needed.has(id));
  const keep = await findStates(options.store, used);
  const workspaces: GcRow[] = [];
  for (const { root, folder, bytes } of listSnapshotStores(join(home, 'snapshots'))) {
    if (!isFolder(root)) {
      const isNeeded = keep.has(root);
      if (!dryRun && !isNeeded) rmSync(folder, { recursive: true, force: true });
      workspaces.push({ workspace: root, bytes, states: 0, freed: isNeeded ? 0 : bytes, checkpoints: 0, isGone: true });
      continue;
    }
    const snapshots = await createSnapshots(root, toOptions(home));
    try {
      const report = await snapshots.gc({ keep: keep.get(root) ?? [], dryRun });
      const checkpoints = await expireCheckpoints(root, { keep: needed, since: options.since, dryRun });
      const { states, bytes: freed } = report;
      workspaces.push({ workspace: root, bytes, states, freed, checkpoints, isGone: false });
    } finally {
      snapshots.close();
    }
  }
  const copies = measure(join(home, 'layers'));
  if (!dryRun) {
    for (const { workspace, isGone } of workspaces) {
      if (!isGone) await createLayers(workspace, { stateDir: join(home, 'layers'), klausHome: home }).clear();
    }
  }
  const { dropFetched } = await import('@klaus/adapters/sandboxes');
  const fetched = dropFetched(home, { needed: used.map((row) => row.workspace), since: options.since, dryRun });
  return { workspaces, copies, fetched };
}

/** Ids of the sessions that may still need an undo or a redo. */
export async function findNeeded(
  { store, since }: { store: Pick<SessionStore, 'approvals' | 'lastOf'>; since: number },
  sessions: readonly SessionRow[],
): Promise<Set<string>> {
  const needed = new Set((await store.approvals({ open: true })).map(({ session }) => session));
  for (const { id, updatedAt } of sessions) {
    // An undo does not count as an update of the session.
    const isRecent = Date.parse(updatedAt) >= since || (await hasRestoredSince(store, id, since));
    if (isRecent) needed.add(id);
  }
  return needed;
}

async function hasRestoredSince(store: Pick<SessionStore, 'lastOf'>, session: string, since: number): Promise<boolean> {
  const last = await store.lastOf(session, ['workspace.restored']);
  return last !== undefined && last.at >= since;
}

/** The states of the workspace that the logs of some sessions name, by root. */
export async function findStates(
  store: Pick<SessionStore, 'read'>,
  sessions: readonly SessionRow[],
): Promise<Map<string, TreeId[]>> {
  const states = new Map<string, TreeId[]>();
  for (const row of sessions) {
    const trees: TreeId[] = [];
    let roots = [row.workspace];
    for (const event of await readLog(store, row.id)) {
      if (event.type === 'session.opened') roots = [row.workspace, ...(event.writable ?? [])];
      trees.push(...statesOf(event));
    }
    for (const tree of trees)
      for (const [index, state] of splitState(tree).entries()) {
        const root = roots[index] ?? row.workspace;
        states.set(root, [...(states.get(root) ?? []), state]);
      }
  }
  return states;
}

/** Bytes below a folder; links are not followed. */
function measure(folder: string): number {
  if (!isFolder(folder)) return 0;
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += measure(path);
    else if (entry.isFile()) sum += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}
