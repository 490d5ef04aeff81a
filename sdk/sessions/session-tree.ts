import {
  isParked,
  isReceivable,
  loadState,
  openChildrenOf,
  type Engine,
  type SessionStore,
  type State,
} from '@klaus/core/agent';
import type { EventOf, OnAsk } from '@klaus/core/protocol';

/** The sessions below one that are open, each after its parent. Logs that name each other are read once. */
export async function readTree(engine: Engine, sessions: readonly string[]): Promise<State[]> {
  const states = new Map<string, State>();
  const waiting = [...sessions];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (states.has(id)) continue;
    const state = await loadState(engine, id);
    states.set(id, state);
    waiting.push(...openChildrenOf(state).map((child) => child.id));
  }
  return [...states.values()];
}

/** True when a session, or one below it, has something to do. */
export async function isTreeRunnable(
  store: Pick<SessionStore, 'inbox'>,
  engine: Engine,
  session: string,
): Promise<boolean> {
  const states = await readTree(engine, [session]);
  const byId = new Map(states.flatMap((state) => (state.session ? [[state.session.session, state] as const] : [])));
  for (const state of states) {
    const id = state.session?.session ?? session;
    if ((await store.inbox(id)).some((command) => isReceivable(state, command))) return true;
    if (state.run !== undefined && !isParked(state, engine.clock.now())) return true;
    for (const child of openChildrenOf(state)) {
      const below = byId.get(child.id);
      if (below && toUnreported(state, child.id, below) !== undefined) return true;
    }
  }
  return false;
}

/**
 * The end of a child that its parent has not recorded, as a unique text: its process ended after the end was durable and
 * before it was reported. Also a child that is open although its parent has no run.
 */
export function toUnreported(parent: State, id: string, { closed, run, lastRun }: State): string | undefined {
  const child = parent.children.get(id);
  if (!child || child.isClosed) return undefined;
  if (closed) return `${id} closed`;
  if (run) return undefined;
  if (lastRun && lastRun.run !== child.finished?.run) return `${id} ${lastRun.run}`;
  return parent.run?.id === child.run ? undefined : `${id} unused`;
}

/** The open questions of sessions and of those below them. */
export async function readQuestions(engine: Engine, sessions: readonly string[]): Promise<EventOf<'approval.asked'>[]> {
  return (await readTree(engine, sessions)).flatMap(({ approvals }) => [...approvals.values()]);
}

/** See `Session.changeOnAsk`. */
export async function changeOnAsk(
  { engine, store }: { engine: Engine; store: Pick<SessionStore, 'send'> },
  id: string,
  onAsk: OnAsk,
): Promise<void> {
  for (const { session, run } of await readTree(engine, [id]))
    if (session && run) await store.send(session.session, { type: 'change', id: engine.ids.ulid(), onAsk });
}
