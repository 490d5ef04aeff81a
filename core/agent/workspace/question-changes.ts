import { KlausError, type TreeChange } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf } from '../state/state.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';

/** The changes of a command that a question is about. @throws KlausError `usage` if there is no such question. */
export async function changesOfQuestion(
  engine: Engine,
  session: string,
  approval: string,
): Promise<{ changes: TreeChange[]; snapshots: Snapshots }> {
  const log = await readLog(engine.store, session);
  const asked = log.find((event) => event.type === 'approval.asked' && event.approval === approval);
  const subject = asked?.type === 'approval.asked' ? asked.subject : undefined;
  if (subject?.kind !== 'changes') throw new KlausError('usage', `There is no question ${approval} about changes.`);
  const snapshots = await openSnapshotsOf(engine, openedOf(await loadState(engine, session)));
  return { changes: await snapshots.changes(subject.from, subject.to), snapshots };
}
