import type { Command } from '../../protocol/index.ts';
import { endRun } from '../loop/finish.ts';
import type { Work } from '../loop/work.ts';
import { openChildrenOf } from '../state/state.ts';
import { snapshotAtEnd } from '../workspace/snapshot-at-end.ts';

/** Ends the run of a session, closes its children, and then the session. Until then the command waits. */
export async function closeSession(work: Work, { id, reason }: Extract<Command, { type: 'close' }>): Promise<void> {
  if (work.state.run) {
    await snapshotAtEnd(work);
    await work.append(await endRun(work, { outcome: 'cancelled', reason }));
  }
  if (openChildrenOf(work.state).length > 0) return;
  await work.append(work.state.closed ? [] : [{ type: 'session.closed', reason }], [id]);
}
