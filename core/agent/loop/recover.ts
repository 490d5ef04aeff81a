import { toFinished, toHead } from '../calls/call-events.ts';
import { performCalls } from '../calls/run-calls.ts';
import { closeQuestions } from '../questions/close-questions.ts';
import type { CallState } from '../state/state.ts';
import { withNotes } from '../workspace/review-changes.ts';
import { snapshotWorkspace } from '../workspace/snapshot-workspace.ts';
import type { ChangesSubject, Work } from './work.ts';

/**
 * Finishes a call that another process started and that has no result: its process crashed, or an approval of its
 * changes was pending. A call that may run again is judged again first, because the session may have changed.
 */
export async function recoverCall(work: Work, call: CallState): Promise<void> {
  if (call.asked?.subject.kind === 'changes') return applyAnsweredChanges(work, call, call.asked.subject);
  await closeQuestions(work, call);
  const outcome = await work.activities.recover(work, call);
  return outcome === 'repeat' ? performCalls(work, [call]) : work.append(outcome);
}

/** Finishes a call after the answer to the question about its changes: applies the accepted ones in one step. */
async function applyAnsweredChanges(work: Work, call: CallState, subject: ChangesSubject): Promise<void> {
  if (call.answer !== 'approved') {
    const note = call.note === undefined ? '' : `: ${call.note}`;
    const why = call.answer === 'rejected' ? `the user rejected them${note}` : 'no answer came in time';
    const finished = toFinished(toHead(work, call), subject.result);
    await work.append([{ ...withNotes(finished, [`None of its changes were applied: ${why}.`]), outcome: 'denied' }]);
    return;
  }
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  await work.append(await work.activities.applyAccepted(work, call, subject));
}
