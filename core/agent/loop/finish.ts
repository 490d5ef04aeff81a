import { effectsOf } from '../calls/session-tools.ts';
import type { EventBody } from '../../protocol/index.ts';
import { closeEvidence } from '../evidence/close-evidence.ts';
import { snapshotAtEnd } from '../workspace/snapshot-at-end.ts';
import { answerOpenCalls, closeTurn, toRunFinished, type Ending } from './closing-events.ts';
import { openedOf, runOf } from '../state/state.ts';
import type { Work } from './work.ts';

/** Ends the run, unless the last snapshot finds protected places that could not be restored. */
export async function finishRun(work: Work, ending: Ending): Promise<void> {
  const { unreverted } = runOf(work.state);
  if (unreverted.length === 0) {
    await snapshotAtEnd(work);
    if (unreverted.length > 0) return;
  }
  await work.append(await endRun(work, ending));
}

/** The events that end the run: they close the turn and open calls, and commit the changes to the private ref. */
export async function endRun(work: Work, ending: Ending): Promise<EventBody[]> {
  const { state } = work;
  const why = ending.outcome === 'cancelled' ? toClause(ending.reason) : ending.reason.replace(/\.$/, '');
  const bodies = [...closeTurn(state), ...answerOpenCalls(state, why)];
  bodies.push(...(await work.activities.closeChildren(work)));
  if (makesCheckpoint(work)) bodies.push(...(await work.activities.checkpoint(work)));
  // Only a run that the model ended has a summary.
  const { failure, turns } = runOf(state);
  const hasSummary = ENDED.has(ending.outcome) && state.calls.length === 0 && !failure && turns > 0;
  bodies.push(toRunFinished(state, { ...ending, ...(await closeEvidence(work, hasSummary)) }, bodies));
  return bodies;
}

/** Outcomes of a run that the model ended. */
const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'denied']);

/** A sentence as part of another. */
export function toClause(sentence: string): string {
  return sentence.replace(/\.$/, '').replace(/^The /, 'the ');
}

/** True if the end of the run makes a checkpoint: none was made yet, and its calls may have changed files. */
export function makesCheckpoint(work: Work): boolean {
  if (openedOf(work.state).checkpoint !== 'auto' || runOf(work.state).checkpointed) return false;
  const { calls, openSnapshot } = work.state;
  // With snapshots, the changes of the run are known.
  if (openedOf(work.state).snapshots !== false && !openSnapshot) return runOf(work.state).changedFiles;
  const begun = [
    ...runOf(work.state).calls.filter((call) => call.outcome !== 'denied'),
    ...calls.filter((call) => call.started),
  ];
  return begun.some(({ name }) => effectsOf(work, name)?.some((effect) => effect !== 'read') ?? false);
}
