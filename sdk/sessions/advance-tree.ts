import { loadState, isParked, isReceivable, openChildrenOf, type Engine, type SessionStore } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import type { Advance } from './session-handle.ts';

/** Milliseconds between two looks at a child session that another process holds. */
const HELD_MS = 250;

type Advanced = Advance & { children?: string[] };

export interface TreeOptions {
  engine: Engine;
  store: SessionStore;
  session: string;
  /** Advances the session itself; `onChild` is called when a child has something to do. */
  advance: (onChild: (child: string) => void) => Promise<Advanced>;
  /** Advances a child and those below it. */
  advanceChild: (child: string) => Promise<Advance>;
  /** Aborted: nothing more is started. */
  isEnding: () => boolean;
}

/**
 * Advances a session and its child sessions, which run at the same time, until nothing is left to do. A session that
 * waits for its children is advanced again when one of them has ended.
 */
export async function advanceTree(options: TreeOptions): Promise<Advance> {
  const { engine, store, isEnding } = options;
  const running = new Map<string, Promise<unknown>>();
  const failed = new Map<string, unknown>();
  const start = (child: string): void => {
    if (running.has(child) || failed.has(child) || isEnding()) return;
    const ended = options
      .advanceChild(child)
      .catch((error: unknown) => void failed.set(child, error))
      .finally(() => running.delete(child));
    running.set(child, ended);
  };
  for (;;) {
    // From before the inboxes are read, so that nothing is missed.
    using sent = listen(store, [options.session]);
    const result = await options.advance(start);
    const children = 'children' in result ? (result.children ?? []) : [];
    if (result.state === 'busy' || isEnding()) {
      await Promise.all(running.values());
      return result;
    }
    using sentBelow = listen(store, await readTree(engine, { children, running }));
    let isHeld = false;
    for (const child of children) {
      const status = running.has(child) ? 'idle' : await findStatus(store, engine, child);
      if (status === 'runnable') start(child);
      if (status === 'held') isHeld = true;
    }
    // A cancel request, or an answer for one child, does not wait for the end of another child.
    if (running.size > 0) await Promise.race([...running.values(), sent.first, sentBelow.first]);
    else if (isHeld) await engine.clock.sleep(HELD_MS);
    else return await finish(options, result, { children, failed });
  }
}

/** The children and those below them that nothing advances now. A child that is advanced reads its own inbox. */
async function readTree(
  engine: Engine,
  { children, running }: { children: readonly string[]; running: ReadonlyMap<string, unknown> },
): Promise<string[]> {
  const idle = children.filter((child) => !running.has(child));
  const below = idle.map(async (child) => {
    const open = openChildrenOf(await loadState(engine, child)).map(({ id }) => id);
    return readTree(engine, { children: open, running });
  });
  return [...idle, ...(await Promise.all(below)).flat()];
}

/** `first` resolves when a command is sent to one of the sessions. */
function listen(store: SessionStore, sessions: readonly string[]): { first: Promise<void> } & Disposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stops = sessions.map((session) => store.onSend(session, resolve));
  return {
    first: promise,
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}

async function finish(
  { engine }: TreeOptions,
  result: Advanced,
  { children, failed }: { children: readonly string[]; failed: ReadonlyMap<string, unknown> },
): Promise<Advance> {
  // A child that cannot run would be waited for without an end.
  for (const error of failed.values()) throw error;
  if (result.state !== 'parked' || children.length === 0) return result;
  const below = await Promise.all(children.map((child) => readQuestions(engine, child)));
  return { state: 'parked', approvals: [...result.approvals, ...below.flat()] };
}

/** What can be done for a child session. `held`: another process does it. */
async function findStatus(store: SessionStore, engine: Engine, child: string): Promise<'runnable' | 'held' | 'idle'> {
  if (!(await isTreeRunnable(store, engine, child))) return 'idle';
  return (await store.isClaimed(child)) ? 'held' : 'runnable';
}

/** True when a session, or one below it, has something to do. */
export async function isTreeRunnable(store: SessionStore, engine: Engine, session: string): Promise<boolean> {
  const state = await loadState(engine, session);
  if ((await store.inbox(session)).some((command) => isReceivable(state, command))) return true;
  if (state.run !== undefined && !isParked(state, engine.clock.now())) return true;
  for (const { id } of openChildrenOf(state)) if (await isTreeRunnable(store, engine, id)) return true;
  return false;
}

/** The open questions of a session and of those below it. */
async function readQuestions(engine: Engine, session: string): Promise<EventOf<'approval.asked'>[]> {
  const state = await loadState(engine, session);
  const below = await Promise.all(openChildrenOf(state).map(({ id }) => readQuestions(engine, id)));
  return [...state.approvals.values(), ...below.flat()];
}
