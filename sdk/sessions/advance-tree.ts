import { loadState, isParked, isReceivable, openChildrenOf, type Engine, type SessionStore } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import type { Advance } from './session-handle.ts';

/** Milliseconds between two looks at a child session that another process holds. */
const HELD_MS = 250;

type Advanced = Advance & { children?: string[] };

export interface TreeOptions {
  session: string;
  engine: Engine;
  store: SessionStore;
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
  const { engine, store, session, isEnding } = options;
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
  // A command for the session, such as a cancel, arrives while its children run.
  let woken = Promise.withResolvers<void>();
  const unlisten = store.onSend(session, () => woken.resolve());
  try {
    for (;;) {
      woken = Promise.withResolvers();
      const result = await options.advance(start);
      const children = 'children' in result ? (result.children ?? []) : [];
      if (result.state === 'busy' || isEnding()) {
        await Promise.all(running.values());
        return result;
      }
      let isHeld = false;
      for (const child of children) {
        const status = running.has(child) ? 'idle' : await findStatus(store, engine, child);
        if (status === 'runnable') start(child);
        if (status === 'held') isHeld = true;
      }
      if (running.size === 0 && !isHeld) return await finish(options, result, { children, failed });
      const held = isHeld ? [engine.clock.sleep(HELD_MS)] : [];
      await Promise.race([...running.values(), ...held, woken.promise]);
    }
  } finally {
    unlisten();
  }
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
