import { performCalls } from '../calls/run-calls.ts';
import { applyAnsweredChanges } from '../workspace/apply-answered-changes.ts';
import type { CallState } from '../state/state.ts';
import type { Work } from './work.ts';

/**
 * Finishes a call that another process started and that has no result: its process crashed, or an approval of its
 * changes was pending. A call that may run again is judged again first, because the session may have changed.
 */
export async function recoverCall(work: Work, call: CallState): Promise<void> {
  if (call.asked?.subject.kind === 'changes') return applyAnsweredChanges(work, call, call.asked.subject);
  const outcome = await work.activities.recover(work, call);
  return outcome === 'repeat' ? performCalls(work, [call]) : work.append(outcome);
}
