import { addUsage, type EventBody, type EventOf } from '../../protocol/index.ts';
import { toFinished, toHead } from '../calls/call-events.ts';
import type { ClosedEvidence } from '../evidence/closed-evidence.ts';
import { addReserved, addUsd, type OpenRequest } from '../budget/ledger.ts';
import { openRequestOf, runOf, type State } from '../state/state.ts';

/** How a run ends, as recorded in `run.finished`. */
export type Ending = Pick<EventOf<'run.finished'>, 'outcome' | 'reason' | 'limit' | 'error' | 'by'>;

/** Results for open calls and answers for open questions, so that the history is complete. */
export function answerOpenCalls(state: State, why: string): EventBody[] {
  const bodies: EventBody[] = [...state.approvals.values()].map(({ run, approval }) => ({
    type: 'approval.answered',
    run,
    approval,
    answer: 'superseded',
    by: 'klaus',
  }));
  for (const call of state.calls) {
    if (call.finished) continue;
    if (call.asked?.subject.kind === 'changes' && state.approvals.has(call.asked.approval)) {
      // The call has ended, and its changes remained on its layer.
      const { result } = call.asked.subject;
      const output = `${result.output.trimEnd()}\n\nNone of its changes were applied: ${why}.`.trimStart();
      bodies.push(toFinished(toHead({ state }, call), { ...result, outcome: 'cancelled', output }));
      continue;
    }
    const output = call.started ? `Outcome unknown: ${why} while this ran.` : `Not run: ${why}.`;
    bodies.push(toFinished(toHead({ state }, call), { outcome: call.started ? 'unknown' : 'cancelled', output }));
  }
  return bodies;
}

/** The charge for a request of a crashed process: its cost is unknown, so that the complete reservation is charged. */
export function toAbandoned({ run, purpose, turn, model, reserved, request }: OpenRequest): EventBody {
  const usage = { input: reserved.tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  const base = { type: 'model.attempted' as const, run, purpose, turn, model, request };
  return { ...base, attempt: 0, outcome: 'abandoned', usage, usd: reserved.usd };
}

/** Closes a turn that is not requested again, and charges its open request. */
export function closeTurn(state: State): EventBody[] {
  const { openTurn } = state;
  const request = openRequestOf(state);
  const bodies = request ? [toAbandoned(request)] : [];
  if (openTurn) {
    const { run, turn } = openTurn;
    bodies.push({ type: 'turn.finished', run, turn, stopReason: 'cancelled' });
  }
  return bodies;
}

/** `run.finished` with the run's sums. `before` are the preceding events of the same transaction. */
export function toRunFinished(
  state: State,
  { evidence, tree, claim, claims, ...ending }: Ending & ClosedEvidence,
  before: readonly EventBody[] = [],
): EventBody {
  const run = runOf(state);
  const unknown = before.filter((body) => body.type === 'tool.finished' && body.outcome !== 'cancelled').length;
  let { usage, usd, held, estimated } = run;
  for (const body of before) {
    if (body.type !== 'model.attempted') continue;
    usage = addUsage(usage, body.usage);
    usd = addUsd(usd, body.usd);
    if (body.held) held = addReserved(held, body.held);
    if (body.estimated) estimated = true;
  }
  return {
    type: 'run.finished',
    run: run.id,
    ...ending,
    usage,
    usd,
    held,
    estimated,
    turns: run.turns,
    toolCalls: run.toolCalls + unknown,
    evidence,
    tree,
    claim,
    claims,
  };
}
