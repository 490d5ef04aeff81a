import { toQuestionEvent } from '../calls/call-events.ts';
import { finishRun } from '../loop/finish.ts';
import { snapshotAfter } from '../workspace/snapshot-workspace.ts';
import { describeOffer, describeUsed } from '../../protocol/index.ts';
import type { LimitReached } from './limit-check.ts';
import { openedOf, runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/**
 * Asks the user to raise a limit. If no approver is available, the run ends and reports the limit. So does a run of a
 * child session: its parent has reserved no more.
 */
export async function askLimit(work: Work, reached: LimitReached): Promise<void> {
  const { parent, forked } = openedOf(work.state);
  if (runOf(work.state).onAsk === 'deny' || (parent && !forked)) {
    const rest = reached.used < reached.cap ? ', and the next step needs more than the rest' : '';
    const reason = `Limit reached: ${describeUsed(reached)}${rest}.`;
    return finishRun(work, { outcome: 'limit', reason, limit: reached });
  }
  await snapshotAfter(work);
  const question = { title: describeOffer(reached), reason: 'the next step would pass the limit' };
  await work.append([toQuestionEvent(work, { subject: { kind: 'limit', ...reached }, ...question })]);
}
