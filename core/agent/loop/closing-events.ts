import { optional, addUsage, type EventBody } from '../../protocol/index.ts';
import { toFinished, toHead } from '../calls/call-events.ts';
import type { ClosedEvidence } from '../evidence/closed-evidence.ts';
import type { OpenRequest } from '../budget/ledger.ts';
import { openRequestOf, runOf, type Ending, type State } from '../state/state.ts';

/** Results for calls that will not run any more, and answers for questions that nobody needs, so that the history stays whole. */
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
      // It ended, and nothing of what it changed left its layer.
      const { result } = call.asked.subject;
      const output = `${result.output.trimEnd()}\n\nNone of its changes were kept: ${why}.`.trimStart();
      bodies.push(toFinished(toHead({ state }, call), { ...result, outcome: 'cancelled', output }));
      continue;
    }
    const output = call.started ? `Outcome unknown: ${why} while this ran.` : `Not run: ${why}.`;
    bodies.push(toFinished(toHead({ state }, call), { outcome: call.started ? 'unknown' : 'cancelled', output }));
  }
  return bodies;
}

/** The charge for a request that was under way in a process which is gone: what it cost is not known, so all that was set aside counts. */
export function toAbandoned({ run, purpose, turn, model, reserved }: OpenRequest): EventBody {
  const usage = { input: reserved.tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  const base = { type: 'model.attempted' as const, run, purpose, turn, model };
  return { ...base, attempt: 0, outcome: 'abandoned', usage, usd: reserved.usd };
}

/** A turn that nobody will ask for again, and the request of a process that is gone. */
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

/** `run.finished` with the run's sums. `settled` are the events before it in the same transaction. */
export function toRunFinished(
  state: State,
  { evidence, tree, claim, claims, ...ending }: Ending & ClosedEvidence,
  settled: readonly EventBody[] = [],
): EventBody {
  const run = runOf(state);
  const unknown = settled.filter((body) => body.type === 'tool.finished' && body.outcome !== 'cancelled').length;
  let { usage, usd } = run;
  for (const body of settled) {
    if (body.type !== 'model.attempted') continue;
    usage = addUsage(usage, body.usage);
    usd = usd === null || body.usd === null ? null : usd + body.usd;
  }
  return {
    type: 'run.finished',
    run: run.id,
    ...ending,
    usage,
    usd,
    turns: run.turns,
    toolCalls: run.toolCalls + unknown,
    evidence,
    ...optional({ tree }),
    claim,
    ...optional({ claims }),
  };
}
