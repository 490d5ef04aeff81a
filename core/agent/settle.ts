import type { EventBody } from '../protocol/index.ts';
import { toFinished, toHead } from './judge-call.ts';
import { runOf, type Ending, type State } from './state.ts';
import type { Work } from './work.ts';

/** Results for calls that will not run any more, and answers for questions that nobody needs, so that the history stays whole. */
export function settleCalls(work: Work, why: string): EventBody[] {
  const { state } = work;
  const bodies: EventBody[] = [...state.approvals.values()].map(({ run, approval }) => ({
    type: 'approval.answered',
    run,
    approval,
    answer: 'superseded',
    by: 'klaus',
  }));
  for (const call of state.calls) {
    if (call.finished) continue;
    const output = call.started ? `Outcome unknown: ${why} while this ran.` : `Not run: ${why}.`;
    bodies.push(toFinished(toHead(work, call), { outcome: call.started ? 'unknown' : 'cancelled', output }));
  }
  return bodies;
}

/** The end of a run that the user stopped. */
export function settleForCancel(work: Work): EventBody[] {
  const { state } = work;
  const bodies = settleCalls(work, 'the user stopped the run');
  if (state.openTurn) {
    const { run, turn } = state.openTurn;
    bodies.push({ type: 'turn.finished', run, turn, stopReason: 'cancelled' });
  }
  bodies.push(toRunFinished(state, { outcome: 'cancelled', reason: 'The user stopped the run.' }, bodies));
  return bodies;
}

/** `run.finished` with the run's sums. `settled` are the events before it in the same transaction. */
export function toRunFinished(state: State, ending: Ending, settled: readonly EventBody[] = []): EventBody {
  const run = runOf(state);
  const unknown = settled.filter((body) => body.type === 'tool.finished' && body.outcome !== 'cancelled').length;
  return {
    type: 'run.finished',
    run: run.id,
    ...ending,
    usage: run.usage,
    usd: run.usd,
    turns: run.turns,
    toolCalls: run.toolCalls + unknown,
    evidence: run.evidence,
  };
}
