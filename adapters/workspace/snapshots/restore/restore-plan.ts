import { z } from 'zod';
import { treeIdSchema, type TreeChange } from '@klaus/core/protocol';
import { codeOf } from '../../race-error.ts';
import { toSnapshotError } from '../database.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState } from '../scan/path-state.ts';
import { Yielder } from '../../yielder.ts';
import type { PathChange } from './restore-step.ts';
import { runStep } from './run-step.ts';
import { isSameEntry } from '../trees.ts';

const planSchema = z.object({
  /** States before and after. Both are stored completely, so that the step can be finished in either direction. */
  before: treeIdSchema,
  after: treeIdSchema,
  staging: z.string(),
  locked: z.array(z.tuple([z.string(), z.int()])),
  /** True when the step failed and has to be rolled back. */
  back: z.boolean(),
});
/** The plan of a restore, which is stored before any file is changed. */
export type RestorePlan = z.infer<typeof planSchema>;

export function endPlan(store: SnapshotStore, id: number): void {
  store.db.run('DELETE FROM steps WHERE id = ?', id);
}

/** Rolls back a failed step. Paths that other programs have changed are left as they are. */
export async function rollBack(store: SnapshotStore, id: number, plan: RestorePlan): Promise<void> {
  const back = { ...plan, back: true };
  store.db.run('UPDATE steps SET plan = ? WHERE id = ?', JSON.stringify(back), id);
  await finishPlan(store, back);
  endPlan(store, id);
}

/**
 * Finishes the restores of killed processes. The caller holds the exclusive lock, so the process of every stored plan has
 * ended. A restore that cannot be finished, for example on a full disk, is rolled back.
 */
export async function finishPlans(store: SnapshotStore): Promise<void> {
  for (const row of store.db.all<{ id: number; plan: string }>('SELECT id, plan FROM steps ORDER BY id')) {
    const plan = planSchema.parse(JSON.parse(row.plan));
    try {
      await finishPlan(store, plan);
      endPlan(store, row.id);
    } catch (error) {
      if (plan.back || codeOf(error) === '') throw toSnapshotError(error, store.root.path);
      await rollBack(store, row.id, plan);
    }
  }
}

async function finishPlan(store: SnapshotStore, plan: RestorePlan): Promise<void> {
  const yielder = new Yielder();
  const rows = await store.trees.changes(Buffer.from(plan.before, 'hex'), Buffer.from(plan.after, 'hex'), yielder);
  const changes: PathChange[] = [];
  for (const row of rows) {
    const { entry, stat, unsupported } = await readPathState(store.root, row.path, { yielder });
    const goal = plan.back ? row.before : row.after;
    if (!unsupported && isFromStep(row, entry)) changes.push({ path: row.path, now: entry, goal, stat });
    if (yielder.due) await yielder.yield();
  }
  const { staging, locked } = plan;
  await runStep(store, changes, { staging, locked, lenient: true, yielder });
}

/** True for a state from before the step, after it, or during it. */
function isFromStep({ before, after }: TreeChange, now: PathChange['now']): boolean {
  if (now === null || isSameEntry(now, before) || isSameEntry(now, after)) return true;
  return now.type === 'directory' && (before?.type === 'directory' || after?.type === 'directory');
}
