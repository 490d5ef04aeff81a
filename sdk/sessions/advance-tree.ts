import { loadState, type Engine, type SessionStore } from '@klaus/core/agent';
import type { Advance } from './session-handle.ts';
import { isTreeRunnable, readQuestions, readTree, toUnreported } from './session-tree.ts';

/** Milliseconds between two looks at a session that another process holds. */
const HELD_MS = 250;

type Advanced = Advance & { children?: string[] };

export interface TreeOptions {
  session: string;
  engine: Engine;
  store: SessionStore;
  /** Advances the session itself; `onChild` is called when a child has something to do. */
  advance: (onChild: (child: string) => void) => Promise<Advanced>;
  /** Advances a child and those below it. @param pause Aborted: returns after the present step. */
  advanceChild: (child: string, pause: AbortSignal) => Promise<Advance>;
  /** True: nothing more is started. */
  isEnding: () => boolean;
  /** True for an attempt of a scheduler: a session that it loses belongs to a newer attempt. */
  isAttempt: boolean;
}

/**
 * Advances a session and its child sessions, which run at the same time, until nothing is left to do. A session that
 * waits for its children is advanced again when one of them has ended, or when a command arrives for it. No process
 * holds it while it waits, so another one can take it: to apply a command, such as a revocation, or to work on it.
 */
export async function advanceTree(options: TreeOptions): Promise<Advance> {
  const children = new RunningChildren(options);
  try {
    return await advanceAll(options, children);
  } finally {
    // After a failure, no child works on when the caller has closed the store.
    await children.end();
  }
}

/** The children that this process advances. */
class RunningChildren {
  readonly #options: TreeOptions;
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #failed = new Map<string, unknown>();
  readonly #ending = new AbortController();

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  has(child: string): boolean {
    return this.#running.has(child);
  }

  start(child: string): void {
    const { advanceChild, isEnding } = this.#options;
    const isDone = this.#running.has(child) || this.#failed.has(child);
    if (isDone || isEnding() || this.#ending.signal.aborted) return;
    const ended = advanceChild(child, this.#ending.signal)
      .catch((error: unknown) => void this.#failed.set(child, error))
      .finally(() => this.#running.delete(child));
    this.#running.set(child, ended);
  }

  /** The ends of those that run. */
  get ends(): Promise<unknown>[] {
    return [...this.#running.values()];
  }

  /** Throws the error of a child that cannot run: it would be waited for without an end. */
  check(): void {
    for (const error of this.#failed.values()) throw error;
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.ends);
  }
}

async function advanceAll(options: TreeOptions, running: RunningChildren): Promise<Advance> {
  const { engine, store, session, isEnding, isAttempt } = options;
  const reported = new Set<string>();
  let hasWorked = false;
  for (;;) {
    // From before the inboxes are read, so that nothing is missed.
    using sent = listen(store, [session]);
    const result = await options.advance((child) => running.start(child));
    const children = 'children' in result ? (result.children ?? []) : [];
    const isTaken = result.state === 'busy' && hasWorked && !isAttempt;
    if (isEnding() || (result.state === 'busy' && !isTaken)) {
      await Promise.all(running.ends);
      return result;
    }
    if (isTaken) {
      await engine.clock.sleep(HELD_MS);
      continue;
    }
    hasWorked = true;
    const idle = children.filter((child) => !running.has(child));
    const below = await readTree(engine, idle);
    using sentBelow = listen(
      store,
      below.flatMap((state) => state.session?.session ?? []),
    );
    let isHeld = false;
    let isReported = false;
    for (const child of idle) {
      const status = await findStatus(store, engine, child);
      if (status === 'runnable') running.start(child);
      if (status === 'held') isHeld = true;
      if (status === 'idle' && (await reportEnd(options, child, reported))) isReported = true;
    }
    if (isReported) continue;
    // A cancel request, or an answer for one child, does not wait for the end of another child.
    if (running.ends.length > 0) await Promise.race([...running.ends, sent.first, sentBelow.first]);
    else if (isHeld) await engine.clock.sleep(HELD_MS);
    else {
      running.check();
      if (result.state !== 'parked' || children.length === 0) return result;
      return { state: 'parked', approvals: [...result.approvals, ...(await readQuestions(engine, children))] };
    }
  }
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

/** What can be done for a child session. `held`: another process does it. */
async function findStatus(store: SessionStore, engine: Engine, child: string): Promise<'runnable' | 'held' | 'idle'> {
  if (!(await isTreeRunnable(store, engine, child))) return 'idle';
  return (await store.isClaimed(child)) ? 'held' : 'runnable';
}

/** Reports the end of a child that a crash kept from its parent, once. True if it was reported now. */
async function reportEnd({ engine, session }: TreeOptions, child: string, reported: Set<string>): Promise<boolean> {
  const end = toUnreported(await loadState(engine, session), child, await loadState(engine, child));
  if (end === undefined || reported.has(end)) return false;
  reported.add(end);
  await engine.store.send(session, { type: 'child', id: engine.ids.ulid(), child });
  return true;
}
