import { z } from 'zod';
import { treeIdSchema, type TreeChange } from '@klaus/core/protocol';
import { codeOf } from '../../race-error.ts';
import { toSnapshotError } from '../database.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { lookAtPath } from '../scan/path-state.ts';
import { Pace } from '../../yielder.ts';
import { perform, removeStaging, type Move } from './restore-step.ts';
import { isSameEntry } from '../trees.ts';

const planSchema = z.object({
  /** States before and after: both are kept whole, so that the step can be settled in either direction. */
  before: treeIdSchema,
  after: treeIdSchema,
  staging: z.string(),
  locked: z.array(z.tuple([z.string(), z.int()])),
  /** True once it failed and is to be taken back. */
  back: z.boolean(),
});
/** A restore under way, as it is written down before anything is touched. */
export type Plan = z.infer<typeof planSchema>;

export function writePlan(kept: SnapshotStore, plan: Plan): number {
  return kept.db.run('INSERT INTO steps (plan) VALUES (?)', JSON.stringify(plan));
}

export function endPlan(kept: SnapshotStore, id: number): void {
  kept.db.run('DELETE FROM steps WHERE id = ?', id);
}

/** Takes a step back that failed on the way. What others changed meanwhile stays as they left it. */
export async function takeBack(kept: SnapshotStore, id: number, plan: Plan): Promise<void> {
  const back = { ...plan, back: true };
  kept.db.run('UPDATE steps SET plan = ? WHERE id = ?', JSON.stringify(back), id);
  await settle(kept, back);
  endPlan(kept, id);
}

/**
 * Finishes what a killed process began. The caller holds the lock alone, so every step that is written down has lost
 * its process. Where there is no room to go forwards it goes backwards.
 */
export async function settleAll(kept: SnapshotStore): Promise<void> {
  for (const row of kept.db.all<{ id: number; plan: string }>('SELECT id, plan FROM steps ORDER BY id')) {
    const plan = planSchema.parse(JSON.parse(row.plan));
    try {
      await settle(kept, plan);
      endPlan(kept, row.id);
    } catch (error) {
      if (plan.back || codeOf(error) === '') throw toSnapshotError(error, kept.root.path);
      await takeBack(kept, row.id, plan);
    }
  }
}

async function settle(kept: SnapshotStore, plan: Plan): Promise<void> {
  const pace = new Pace();
  const rows = await kept.trees.changes(Buffer.from(plan.before, 'hex'), Buffer.from(plan.after, 'hex'), pace);
  const moves: Move[] = [];
  for (const row of rows) {
    const { entry, stat, foreign } = await lookAtPath(kept.root, row.path, { pace });
    const goal = plan.back ? row.before : row.after;
    if (!foreign && isOurs(row, entry)) moves.push({ path: row.path, now: entry, goal, stat });
    if (pace.due) await pace.rest();
  }
  const { staging, locked } = plan;
  await perform(kept, moves, { staging, locked, lenient: true, pace });
  await removeStaging(kept.root, staging);
}

/** True for what stood there before, shall stand there after, or stands there only on the way. */
function isOurs({ before, after }: TreeChange, now: Move['now']): boolean {
  if (now === null || isSameEntry(now, before) || isSameEntry(now, after)) return true;
  return now.type === 'directory' && (before?.type === 'directory' || after?.type === 'directory');
}
