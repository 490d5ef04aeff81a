import { toFinished, toHead } from '../calls/call-events.ts';
import { performCalls } from '../calls/run-calls.ts';
import { recoverCall } from '../loop/recover.ts';
import { isWaiting, type CallState } from '../state/state.ts';
import { snapshotWorkspace } from '../workspace/snapshot-workspace.ts';
import type { Turn } from './agent-turn.ts';

type InOrder = <T>(run: (release: () => void) => Promise<T>) => Promise<T>;

/** Judges and runs a call of a tool of the engine until it has a result, or the turn is stopped. */
export async function performCall(call: CallState, { work, answers }: Turn, inOrder: InOrder): Promise<void> {
  while (!call.finished) {
    if (isWaiting(call, work.state)) {
      await answers.until(call.asked!.approval, work.stop);
      if (work.stop.aborted) return;
      continue;
    }
    if (work.stop.aborted) {
      if (!work.isLeaving() && !call.started) {
        const output = 'Not run: stopped before it began.';
        await work.append([toFinished(toHead(work, call), { outcome: 'cancelled', output })]);
      }
      return;
    }
    await inOrder((release) => (call.started ? recoverCall(work, call) : performCalls(work, [call], release)));
  }
  // A question ends the snapshot of the turn. The agent can change files by itself.
  await inOrder(async () => work.append((await snapshotWorkspace(work)) ?? []));
}
