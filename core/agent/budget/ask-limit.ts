import { finishRun } from '../loop/finish.ts';
import { snapshotAfter } from '../workspace/snapshot-workspace.ts';
import { describeLimit, type LimitReached } from './limit-check.ts';
import { runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** At a limit the user is offered more; with nobody to ask, the run ends and says how to go on. */
export async function askLimit(work: Work, reached: LimitReached): Promise<void> {
  const { state, engine } = work;
  const run = runOf(state);
  const what = describeLimit(reached);
  if (run.onAsk === 'deny') {
    return finishRun(work, {
      outcome: 'limit',
      reason: `The next step would pass a limit: ${what}.`,
      limit: reached,
    });
  }
  await snapshotAfter(work);
  await work.append([
    {
      type: 'approval.asked',
      run: run.id,
      approval: engine.ids.ulid(),
      turn: state.turn,
      subject: { kind: 'limit', ...reached },
      title: `Go on beyond the limit? ${what}.`,
      reason: 'the next step would pass the limit',
      expiresAt: engine.clock.now() + engine.settings.approvalTtlMs,
    },
  ]);
}
