import type { GarbageReport } from './collect-garbage.ts';
import { GRACE_MS } from './grace.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { findState } from './state-archive.ts';

export interface WorkspaceGarbageOptions {
  /** The states that logs need, by the name of their workspace, asked of the database at that moment. */
  findUsed: (workspace: string) => Promise<ReadonlySet<string>>;
  /** Only report what would be deleted. Default false. */
  dryRun?: boolean;
  /** Milliseconds since its last write for which an object is spared. Default {@link GRACE_MS}. */
  graceMs?: number;
  /** Default: the clock of this machine, in Unix milliseconds. */
  now?: () => number;
}

const KEY = /^workspaces\/([\w-]+)\/(packs|states)\/([0-9a-f]{64})$/;

/**
 * Deletes states of workspaces that no log needs, and packs that no remaining state needs. Young states remain with their
 * packs, because an event may name them soon. Several collections at the same time do no harm.
 */
export async function collectWorkspaces(
  objects: ObjectStore,
  options: WorkspaceGarbageOptions,
): Promise<GarbageReport> {
  const report: GarbageReport = { seen: 0, deleted: 0, bytes: 0 };
  let own: Listed[] = [];
  for await (const object of objects.list('workspaces/')) {
    const [, workspace, kind, name] = KEY.exec(object.key) ?? [];
    if (workspace === undefined) continue;
    report.seen += 1;
    // Keys are listed in order, so the objects of a workspace follow each other.
    if (own[0] && own[0].workspace !== workspace) {
      await collect(objects, { ...options, report, own });
      own = [];
    }
    own.push({ ...object, workspace, kind: kind as Listed['kind'], name: name! });
  }
  await collect(objects, { ...options, report, own });
  return report;
}

interface Listed extends StoredObject {
  workspace: string;
  kind: 'packs' | 'states';
  name: string;
}

async function collect(
  objects: ObjectStore,
  given: WorkspaceGarbageOptions & { report: GarbageReport; own: readonly Listed[] },
): Promise<void> {
  const { own, report, findUsed, dryRun = false, graceMs = GRACE_MS, now = Date.now } = given;
  const [first] = own;
  if (!first) return;
  const { workspace } = first;
  const isYoung = ({ writtenAt }: StoredObject): boolean => now() - writtenAt < graceMs;
  const used = new Set(await findUsed(workspace));
  const packs = new Set<string>();
  const kept = own.filter((object) => object.kind === 'states' && (used.has(object.name) || isYoung(object)));
  const remaining = new Set(kept.map(({ name }) => name));
  for (const tree of remaining) {
    const state = await findState(objects, { workspace, tree });
    for (const pack of state?.packs ?? []) packs.add(pack);
    // Added at the end of the set, so it is visited too.
    if (state?.gitContents !== undefined) remaining.add(state.gitContents);
  }
  for (const object of own) {
    if ((object.kind === 'packs' ? packs : remaining).has(object.name) || isYoung(object)) continue;
    // It may have been written again since it was listed.
    const present = await objects.stat(object.key);
    if (!present || isYoung(present)) continue;
    if (!dryRun) await objects.delete(object.key);
    report.deleted += 1;
    report.bytes += object.size;
  }
}
