import { z } from 'zod';
import { treeIdSchema, type TreeChange } from '@klaus/core/protocol';
import { codeOf } from '../../race-error.ts';
import { toSnapshotError } from '../database.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState } from '../scan/path-state.ts';
import { Yielder } from '../../yielder.ts';
import { runStep, removeStaging, type PathChange } from './restore-step.ts';
import { isSameEntry } from '../trees.ts';

const planSchema = z.object({
  /** States before and after: both are store whole, so that the step can be settled in either direction. */
  before: treeIdSchema,
  after: treeIdSchema,
  staging: z.string(),
  locked: z.array(z.tuple([z.string(), z.int()])),
  /** True once it failed and is to be taken back. */
  back: z.boolean(),
});
/** A restore under way, as it is written down before anything is touched. */
export type RestorePlan = z.infer<typeof planSchema>;

export function writePlan(store: SnapshotStore, plan: RestorePlan): number {
  return store.db.run('INSERT INTO steps (plan) VALUES (?)', JSON.stringify(plan));
}

export function endPlan(store: SnapshotStore, id: number): void {
  store.db.run('DELETE FROM steps WHERE id = ?', id);
}

/** Takes a step back that failed on the way. What others changed meanwhile stays as they left it. */
export async function rollBack(store: SnapshotStore, id: number, plan: RestorePlan): Promise<void> {
  const back = { ...plan, back: true };
  store.db.run('UPDATE steps SET plan = ? WHERE id = ?', JSON.stringify(back), id);
  await finishPlan(store, back);
  endPlan(store, id);
}

/**
 * Finishes what a killed process began. The caller holds the lock alone, so every step that is written down has lost
 * its process. Where there is no room to go forwards it goes backwards.
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
  const moves: PathChange[] = [];
  for (const row of rows) {
    const { entry, stat, unsupported } = await readPathState(store.root, row.path, { yielder });
    const goal = plan.back ? row.before : row.after;
    if (!unsupported && isFromStep(row, entry)) moves.push({ path: row.path, now: entry, goal, stat });
    if (yielder.due) await yielder.yield();
  }
  const { staging, locked } = plan;
  await runStep(store, moves, { staging, locked, lenient: true, yielder });
  await removeStaging(store.root, staging);
}

/** True for what stood there before, shall stand there after, or stands there only on the way. */
function isFromStep({ before, after }: TreeChange, now: PathChange['now']): boolean {
  if (now === null || isSameEntry(now, before) || isSameEntry(now, after)) return true;
  return now.type === 'directory' && (before?.type === 'directory' || after?.type === 'directory');
}
