import { toFinished, toHead } from '../calls/call-events.ts';
import type { CallState } from '../state/state.ts';
import type { ChangesSubject, Work } from '../loop/work.ts';
import { withNotes } from './review-changes.ts';
import { snapshotWorkspace } from './snapshot-workspace.ts';

/** Finishes a call after the answer to the question about its changes: applies the accepted ones in one step. */
export async function applyAnsweredChanges(work: Work, call: CallState, subject: ChangesSubject): Promise<void> {
  if (call.answer !== 'approved') {
    const note = call.note === undefined ? '' : `: ${call.note}`;
    const why = call.answer === 'rejected' ? `the user rejected them${note}` : 'no answer came in time';
    const finished = toFinished(toHead(work, call), subject.result);
    await work.append([{ ...withNotes(finished, [`None of its changes were kept: ${why}.`]), outcome: 'denied' }]);
    return;
  }
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  await work.append(await work.activities.applyAccepted(work, call, subject));
}
