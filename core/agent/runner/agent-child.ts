import { KlausError, NO_USAGE, type EventBody } from '../../protocol/index.ts';
import { readChildEnd } from '../children/child-end.ts';
import { openChild } from '../children/children.ts';
import { answerOpenCalls } from '../loop/closing-events.ts';
import { createWork } from '../loop/create-work.ts';
import { finishRun } from '../loop/finish.ts';
import type { Work } from '../loop/work.ts';
import type { RunnerChild } from '../ports/runner.ts';
import { loadState } from '../state/load-state.ts';
import { runOf } from '../state/state.ts';
import type { OpenRunnerChild } from './agent-children.ts';
import { AgentHost } from './agent-host.ts';
import { toAgentMessage } from './agent-text.ts';

const REASONS = { done: 'The agent ended its turn.', failed: 'The agent did not end its turn.' } as const;

/**
 * Opens the session of an agent that the program started by itself, and begins its only run. It works in the process of
 * its parent, which counts its cost.
 */
export const openAgentChild: OpenRunnerChild = async (parent, { call, task, signal }) => {
  const { engine, state } = parent;
  const child = [...state.children.values()].find((each) => each.call === call && !each.isClosed);
  if (!child) throw new KlausError('runner.failed', 'The agent started another one without a permission.');
  await openChild(parent, child, task);
  const lease = await engine.store.claim(child.id);
  if (!lease) throw new KlausError('store.busy', `The child session ${child.id} is held by another process.`);
  const opened = await loadState(engine, child.id);
  const work = createWork({
    ...{ engine, session: child.id, lease, state: opened, stop: signal },
    isLeaving: () => parent.isLeaving(),
    wakeChild: (id) => parent.wakeChild(id),
  });
  const host = new AgentHost(openAgentChild);
  await work.authority.learn();
  await work.append(toBeginning(work, { task, onAsk: runOf(state).onAsk, isTainted: state.taint !== undefined }));
  host.begin(work);
  return { ...toReports(host), end: (outcome) => end({ parent, work, host, outcome }) };
};

function toReports(host: AgentHost): Omit<RunnerChild, 'end'> {
  return {
    text: (kind, text) => host.text(kind, text),
    entry: (id) => host.entry(id),
    call: (call) => host.call(call),
    ask: (call) => host.ask(call),
  };
}

type RunStarted = Extract<EventBody, { type: 'run.started' }>;

function toBeginning(
  { engine, state }: Work,
  { task, onAsk, isTainted }: Pick<RunStarted, 'onAsk'> & { task: string; isTainted: boolean },
): EventBody[] {
  const run = engine.ids.ulid();
  const parts = [{ type: 'text' as const, text: task }];
  const message = { id: engine.ids.ulid(), role: 'user' as const, origin: 'user' as const, parts };
  const reserved = { tokens: 0, usd: 0 };
  const requestHash = engine.ids.digest(JSON.stringify(parts));
  return [
    { type: 'run.started', run, trigger: 'prompt', onAsk },
    { type: 'message.added', run, turn: 0, message, ...(isTainted ? { tainted: true as const } : {}) },
    { type: 'turn.started', run, turn: 1, model: state.model, requestHash, reserved },
  ];
}

interface Ending {
  parent: Work;
  work: Work;
  host: AgentHost;
  outcome: 'done' | 'failed';
}

async function end({ parent, work, host, outcome }: Ending): Promise<void> {
  const { state, lease, session } = work;
  try {
    const rest = await host.end();
    if (work.isLeaving()) return;
    const run = runOf(state).id;
    const attempt = { run, purpose: 'turn' as const, turn: 1, model: state.model, attempt: 1 };
    await work.append([
      ...answerOpenCalls(state, 'the agent ended its turn'),
      ...toAgentMessage(work, rest),
      {
        type: 'model.attempted',
        ...attempt,
        usage: NO_USAGE,
        usd: 0,
        outcome: outcome === 'done' ? 'ok' : 'cancelled',
      },
      { type: 'turn.finished', run, turn: 1, stopReason: outcome === 'done' ? 'end_turn' : 'cancelled' },
    ]);
    await finishRun(work, { outcome, reason: REASONS[outcome] });
    await work.append([{ type: 'session.closed', reason: 'The agent that started it has its result.' }]);
  } finally {
    await lease.release();
  }
  await parent.append(await readChildEnd(parent, session));
}
