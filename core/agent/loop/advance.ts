import { effectsOf } from '../calls/session-tools.ts';
import { KlausError, type Command, type EventBody, type EventOf } from '../../protocol/index.ts';
import { askLimit } from '../budget/ask-limit.ts';
import { closePrestart } from '../calls/prestart.ts';
import { compact } from '../context/compact.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import type { Engine } from './engine.ts';
import { finishRun } from './finish.ts';
import { forecast } from '../budget/forecast.ts';
import { reportToParent } from '../children/report-to-parent.ts';
import { drainInbox } from './inbox.ts';
import { isReceivable } from './receivable.ts';
import { keepState, reportLostChanges } from '../workspace/keep-state.ts';
import { snapshotAfter } from '../workspace/snapshot-workspace.ts';
import { accountOf } from '../budget/ledger.ts';
import { findWarnings } from '../budget/limit-check.ts';
import { loadState } from '../state/load-state.ts';
import { createStateCacheWriter } from '../state/state-cache-writer.ts';
import { next, type Action, type Facts } from './next.ts';
import type { Model } from '../ports/model.ts';
import { recordProcessEnds, takeOverProcesses } from '../processes/process-events.ts';
import { recoverCall } from './recover.ts';
import { performCalls } from '../calls/run-calls.ts';
import { answerOpenCalls, closeTurn, toAbandoned } from './closing-events.ts';
import { openChildrenOf, openedOf, openRequestOf, runOf, type State } from '../state/state.ts';
import { summarise } from './title.ts';
import { effectsOfAgentTool } from '../runner/agent-tool.ts';
import { createAgentDriver } from '../runner/agent-driver.ts';
import { performTurn } from '../model/turn.ts';
import { createWork } from './create-work.ts';
import type { Activities, Work } from './work.ts';

/** Why `advance` returned. */
export type Advanced =
  | { state: 'idle'; finished?: EventOf<'run.finished'>; children?: string[] }
  | { state: 'parked'; approvals: EventOf<'approval.asked'>[]; children?: string[] }
  | { state: 'busy' };

export interface AdvanceOptions {
  /** Aborted: returns at once, as in a crash. The log keeps what is durable, and the next call continues. */
  signal?: AbortSignal;
  /** Aborted: returns after the present step. The next call continues. */
  pause?: AbortSignal;
  /** Aborted: starts no further run. Queued prompts remain in the inbox. */
  last?: AbortSignal;
  /** Number of the scheduler's attempt, for the claim. Default: none. */
  attempt?: number;
  /** Called when a child session has something to do: the caller advances it. */
  onChild?: (child: string) => void;
  /** Default: the live ones. */
  activities?: Activities;
}

/** Claims a session, folds its log, and repeats drain, next, perform, append. Also after a crash or an approval. */
export async function advance(engine: Engine, session: string, options: AdvanceOptions = {}): Promise<Advanced> {
  let result: Advanced | undefined;
  let left: { command: string; seq: number } | undefined;
  for (;;) {
    const lease = await engine.store.claim(session, { attempt: options.attempt });
    // Another process may hold the session now; it applies the queued commands.
    if (!lease) return result ?? { state: 'busy' };
    let state: State;
    try {
      state = await loadState(engine, session);
      const now = await work(engine, { session, lease, state, ...options });
      const finished = result?.state === 'idle' ? result.finished : undefined;
      result = now.state === 'idle' && finished ? { finished, ...now } : now;
    } finally {
      await lease.release();
    }
    // A command may have arrived after the last check of the inbox and before the release.
    const missed = (await engine.store.inbox(session)).find((command) => isReceivable(state, command));
    const { signal, pause, last } = options;
    if (!missed || signal?.aborted || pause?.aborted || last?.aborted || state.closed) return result;
    // A second attempt that appends nothing and leaves the same command would be repeated without an end.
    if (left?.command === missed.id && left.seq === state.seq)
      throw new KlausError('internal', `Command ${missed.id} of session ${session} is not applied.`);
    left = { command: missed.id, seq: state.seq };
  }
}

async function work(
  engine: Engine,
  { signal, pause, last, onChild, ...claimed }: AdvanceOptions & Pick<Work, 'session' | 'lease' | 'state'>,
): Promise<Advanced> {
  const { session, lease, state } = claimed;
  const stopper = createStopper(engine, state, { session, leave: signal });
  const cacheState = await createStateCacheWriter(engine.store, lease, state);
  let current = createWork({
    engine,
    ...claimed,
    wakeChild: onChild,
    stop: stopper.signal(),
    isLeaving: stopper.isLeaving,
  });
  try {
    let finished: EventOf<'run.finished'> | undefined;
    if (!stopper.isLeaving()) {
      await current.authority.learn();
      await takeOverProcesses(current);
      await reportLostChanges(current);
    }
    for (;;) {
      if (stopper.isLeaving() || pause?.aborted) {
        await keepState(current);
        return { state: 'idle' };
      }
      const before = state.lastRun;
      // A cancel that arrives while the inbox is drained may be missed: then it is drained again.
      do {
        if (stopper.signal().aborted) current = { ...current, stop: stopper.renew() };
        await drainInbox(current, { mayBegin: !last?.aborted });
      } while (stopper.signal().aborted && !stopper.isLeaving());
      await recordProcessEnds(current);
      const action = await decideNext(current);
      if (action.kind === 'idle' || action.kind === 'park') {
        if (state.lastRun !== before) finished = state.lastRun;
        await keepState(current);
        await cacheState('end');
        const open = openChildrenOf(state).map(({ id }) => id);
        const children = open.length > 0 ? { children: open } : {};
        if (action.kind === 'park') return { state: 'parked', approvals: [...state.approvals.values()], ...children };
        await reportToParent(engine, state);
        return { state: 'idle', ...(finished ? { finished } : {}), ...children };
      }
      await perform(current, action);
      if (action.kind === 'finish') await closePrestart(current);
      await warn(current);
      await cacheState('between');
      if (state.lastRun !== before) finished = state.lastRun;
    }
  } finally {
    stopper.close();
    await current.agent.driver?.close();
    await current.mcp.tools?.close();
    await (await current.servers.diagnostics)?.close();
    await closePrestart(current);
    await current.idle();
  }
}

async function decideNext(current: Work): Promise<Action> {
  const { state, engine } = current;
  const { settings } = engine;
  // An idle session, a command of the user, and a session that another program drives need no model and therefore no key.
  const isDriven = state.run?.trigger === 'shell' || state.session?.runner !== undefined;
  current.choice.isFirst = current.activities.triesFirst(current);
  const model: Model | undefined = state.run && !isDriven ? await current.model() : undefined;
  const facts: Facts = {
    effectsOf: (name) => effectsOf(current, name) ?? effectsOfAgentTool(name) ?? ['read'],
    forecast: () => forecast(state, model!, { settings, overhead: overheadOf(current) }),
    maxRetries: settings.maxRetries,
    compactAt: settings.compactAt,
  };
  return next(state, facts);
}

/** Characters of system prompt and tools. */
function overheadOf({ state, engine }: Work): number {
  const opened = openedOf(state);
  const specs = engine.tools.specs(opened.tools);
  let sum = overheads.get(specs);
  if (sum === undefined) {
    sum = JSON.stringify(specs).length;
    overheads.set(specs, sum);
  }
  return opened.system.length + sum;
}

const overheads = new WeakMap<object, number>();

async function perform(current: Work, action: Exclude<Action, { kind: 'idle' | 'park' }>): Promise<void> {
  const { state, engine } = current;
  switch (action.kind) {
    case 'model':
      return performTurn(current, action.forecast);
    case 'calls':
      return await performCalls(current, action.calls);
    case 'chargeAbandoned':
      return current.append([toAbandoned(openRequestOf(state)!)]);
    case 'agent':
      return (current.agent.driver ??= createAgentDriver()).performTurn(current);
    case 'closeTurn':
      return current.append([
        ...(state.session?.runner ? answerOpenCalls(state, 'its process ended') : []),
        ...closeTurn(state),
      ]);
    case 'recover':
      return recoverCall(current, action.call);
    case 'snapshot':
      return snapshotAfter(current);
    case 'compact':
      return compact(current);
    case 'title':
      return summarise(current);
    case 'nudge':
      return current.append([toEngineMessage(engine.ids, { run: runOf(state).id, turn: state.turn }, action.text)]);
    case 'limit':
      return askLimit(current, action.reached);
    case 'finish': {
      const { kind: _, ...ending } = action;
      if (ending.outcome === 'done') {
        const { bodies, continues } = await current.activities.keepWorking(current);
        if (current.stop.aborted) return;
        if (bodies.length > 0) await current.append(bodies);
        if (continues) return;
      }
      return finishRun(current, ending);
    }
  }
}

async function warn(current: Work): Promise<void> {
  const { state } = current;
  if (!state.run) return;
  const run = state.run.id;
  const bodies: EventBody[] = findWarnings(state).map((warning) => ({
    type: 'usage.counted',
    run,
    ...warning,
    cost: accountOf(state.ledger, current.session).usd,
  }));
  if (bodies.length > 0) await current.append(bodies);
}

/** Aborts the current step after a cancel, or if the caller leaves. A revocation also stops running tools. */
function createStopper(
  engine: Engine,
  state: State,
  { session, leave }: { session: string; leave: AbortSignal | undefined },
): { signal(): AbortSignal; renew(): AbortSignal; isLeaving: () => boolean; close(): void } {
  let controller = new AbortController();
  const isStop = (command: Command): boolean =>
    command.type === 'cancel' ||
    command.type === 'close' ||
    (command.type === 'revoke' && state.calls.some((call) => call.started));
  const stop = (): void => controller.abort();
  const unlisten = engine.store.onSend(session, () => {
    // A store that cannot be read fails where the loop reads it next.
    engine.store.inbox(session).then(
      (commands) => void (commands.some(isStop) && stop()),
      () => {},
    );
  });
  leave?.addEventListener('abort', stop, { once: true });
  return {
    signal: () => controller.signal,
    renew() {
      controller = new AbortController();
      if (leave?.aborted) controller.abort();
      return controller.signal;
    },
    isLeaving: () => leave?.aborted ?? false,
    close() {
      unlisten();
      leave?.removeEventListener('abort', stop);
    },
  };
}
