import {
  loadState,
  isParked,
  isReceivable,
  openChildrenOf,
  type Engine,
  type SessionStore,
  type State,
} from '@klaus/core/agent';
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
  /** Advances a child and those below it. @param pause Aborted: returns after the present step. */
  advanceChild: (child: string, pause: AbortSignal) => Promise<Advance>;
  /** Aborted: nothing more is started. */
  isEnding: () => boolean;
}

/**
 * Advances a session and its child sessions, which run at the same time, until nothing is left to do. A session that
 * waits for its children is advanced again when one of them has ended, or when a command arrives for it.
 */
export async function advanceTree(options: TreeOptions): Promise<Advance> {
  const { engine, session } = options;
  const running = new Map<string, Promise<unknown>>();
  const ending = new AbortController();
  let wake = (): void => {};
  const unlisten = engine.store.onSend(session, () => wake());
  try {
    return await advanceAll(options, {
      running,
      pause: ending.signal,
      nextCommand: () => new Promise((resolve) => (wake = resolve)),
    });
  } finally {
    unlisten();
    // After a failure, no child works on when the caller has closed the store.
    ending.abort();
    await Promise.all(running.values());
  }
}

interface Running {
  running: Map<string, Promise<unknown>>;
  pause: AbortSignal;
  /** Resolves when the next command for the session arrives. */
  nextCommand: () => Promise<void>;
}

async function advanceAll(options: TreeOptions, { running, pause, nextCommand }: Running): Promise<Advance> {
  const { engine, store, session, isEnding } = options;
  const failed = new Map<string, unknown>();
  const reported = new Set<string>();
  const start = (child: string): void => {
    if (running.has(child) || failed.has(child) || isEnding() || pause.aborted) return;
    const ended = options
      .advanceChild(child, pause)
      .catch((error: unknown) => void failed.set(child, error))
      .finally(() => running.delete(child));
    running.set(child, ended);
  };
  for (;;) {
    const command = nextCommand();
    const result = await options.advance(start);
    const children = 'children' in result ? (result.children ?? []) : [];
    if (result.state === 'busy' || isEnding()) {
      await Promise.all(running.values());
      return result;
    }
    let isHeld = false;
    let isReported = false;
    for (const child of children) {
      const status = running.has(child) ? 'idle' : await findStatus(store, engine, child);
      if (status === 'runnable') start(child);
      if (status === 'held') isHeld = true;
      if (status !== 'idle' || running.has(child)) continue;
      const end = await findUnreported(engine, session, child);
      if (end === undefined || reported.has(end)) continue;
      reported.add(end);
      await engine.store.send(session, { type: 'child', id: engine.ids.ulid(), child });
      isReported = true;
    }
    if (isReported) continue;
    if (running.size > 0) await Promise.race([...running.values(), command]);
    else if (isHeld) await engine.clock.sleep(HELD_MS);
    else return finish(options, result, { children, failed });
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
  for (const { id } of openChildrenOf(state)) {
    if (await isTreeRunnable(store, engine, id)) return true;
    if (toUnreported(state, id, await loadState(engine, id)) !== undefined) return true;
  }
  return false;
}

async function findUnreported(engine: Engine, session: string, child: string): Promise<string | undefined> {
  return toUnreported(await loadState(engine, session), child, await loadState(engine, child));
}

/**
 * The end of a child that its parent has not recorded, as a unique text: its process ended after the end was durable and
 * before it was reported. Also a child that is open although its parent has no run.
 */
function toUnreported(parent: State, id: string, { closed, run, lastRun }: State): string | undefined {
  const child = parent.children.get(id);
  if (!child || child.isClosed) return undefined;
  if (closed) return `${id} closed`;
  if (run) return undefined;
  if (lastRun && lastRun.run !== child.finished?.run) return `${id} ${lastRun.run}`;
  return parent.run?.id === child.run ? undefined : `${id} unused`;
}

/** The open questions of a session and of those below it. */
async function readQuestions(engine: Engine, session: string): Promise<EventOf<'approval.asked'>[]> {
  const state = await loadState(engine, session);
  const below = await Promise.all(openChildrenOf(state).map(({ id }) => readQuestions(engine, id)));
  return [...state.approvals.values(), ...below.flat()];
}
