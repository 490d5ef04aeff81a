import { findClaims } from '../../policy/index.ts';
import { toText } from '../../protocol/index.ts';
import { runOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import type { ClosedEvidence } from './closed-evidence.ts';

/** Judges the checks and claims of a run. `hasSummary`: the model ended it, so that its last words are searched. */
export async function closeEvidence(work: Work, hasSummary: boolean): Promise<ClosedEvidence> {
  const { state } = work;
  const run = runOf(state);
  const found = hasSummary ? findClaims(lastWords(state)) : [];
  // A run that only read has changed nothing that could work.
  const claims = found.filter(({ kind }) => kind !== 'any' || run.acted);
  const earlier = claims.length > 0 ? state.evidence : [];
  return work.activities.closeEvidence(work, { own: run.evidence, earlier, claims });
}

/** The text of the model since the last result or message. An answer that was cut counts with its continuation. */
function lastWords(state: State): string {
  const said: string[] = [];
  for (const message of state.messages.toReversed()) {
    if (message.role === 'assistant') said.unshift(toText(message));
    else if (message.origin !== 'engine') break;
  }
  return said.join('');
}
