import type { Clock } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { newestArrival } from './inbox.ts';
import { readEvents } from './log.ts';

/** Milliseconds between two looks at what other processes wrote, where the kernel does not tell of writes. */
const POLL_MS = 50;
/** The same where it does: only what it missed is found by these. */
const WATCHED_POLL_MS = 1_000;
/** The same while another process writes: whoever follows it waits for the look. */
const BUSY_POLL_MS = 20;
/** Looks in a row that found nothing, after which no other process counts as writing. */
const QUIET_POLLS = 25;

interface Subscription {
  session: string;
  listener: (event: Event) => void;
  /** Last seq that the listener got. */
  last: number;
  active: boolean;
  delivering: boolean;
  /** More came while events were being handed over. */
  missed: boolean;
}

interface Waiter {
  session: string;
  wake: () => void;
  /** Arrival number of the newest command known. */
  newest: number;
}

/**
 * Tells listeners what was written, by this process at once and by others as soon as the kernel tells of a write, or
 * within one poll. While nobody listens nothing runs.
 */
export class ChangeNotifier {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'every'>;
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiters = new Set<Waiter>();
  readonly #watchers = new Set<() => void>();
  readonly #onUnreadable = new Set<(session: string, error: unknown) => void>();
  readonly #watch: ((tell: () => void) => (() => void) | undefined) | undefined;
  #stopPolling: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;
  #version = 0;
  /** Looks to come that are close to each other. */
  #busy = 0;

  /** @param watch Tells of writes of any process; absent: they are found by looking. */
  constructor(database: Database, clock: Pick<Clock, 'every'>, watch?: (tell: () => void) => (() => void) | undefined) {
    this.#database = database;
    this.#clock = clock;
    this.#watch = watch;
  }

  /** The first events come in a microtask, so that a listener can already use the returned function. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void {
    const subscription: Subscription = {
      session,
      listener,
      last: after,
      active: true,
      delivering: false,
      missed: false,
    };
    this.#subscriptions.add(subscription);
    this.#startPolling();
    queueMicrotask(() => this.#catchUp(subscription));
    return () => {
      subscription.active = false;
      this.#subscriptions.delete(subscription);
      this.#stopWhenUnused();
    };
  }

  /** Commands that are in the inbox already wake nobody: listen first, then look. */
  onSend(session: string, wake: () => void): () => void {
    const waiter: Waiter = { session, wake, newest: newestArrival(this.#database, session) };
    this.#waiters.add(waiter);
    this.#startPolling();
    return () => {
      this.#waiters.delete(waiter);
      this.#stopWhenUnused();
    };
  }

  /** Calls `notice` after anything was committed, by this process at once and by others within one poll. */
  watch(notice: () => void): () => void {
    this.#watchers.add(notice);
    this.#startPolling();
    return () => {
      this.#watchers.delete(notice);
      this.#stopWhenUnused();
    };
  }

  /**
   * Calls `listener` when a session's log cannot be read, as of a later version: who subscribed to it is told nothing
   * more. Where nobody listens the error is nobody's, and ends the process.
   */
  onUnreadable(listener: (session: string, error: unknown) => void): () => void {
    this.#onUnreadable.add(listener);
    return () => this.#onUnreadable.delete(listener);
  }

  /** These events of one session were committed by this process. */
  published(session: string, events: readonly Event[]): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.session !== session) continue;
      // What the listener lacks, if anything, is in the database; usually it is just these events.
      if (events[0]?.seq === subscription.last + 1) this.#deliver(subscription, events);
      else this.#catchUp(subscription);
    }
    this.#notice();
  }

  /** A command for the session was committed by this process. */
  sent(session: string): void {
    for (const waiter of this.#waiters) {
      if (waiter.session === session) this.#look(waiter);
    }
    this.#notice();
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.active = false;
    this.#subscriptions.clear();
    this.#waiters.clear();
    this.#watchers.clear();
    this.#stopWhenUnused();
  }

  #catchUp(subscription: Subscription): void {
    if (!subscription.active) return;
    try {
      this.#deliver(subscription, readEvents(this.#database, subscription.session, subscription.last));
    } catch (error) {
      this.#giveUp(subscription, error);
    }
  }

  #giveUp(subscription: Subscription, error: unknown): void {
    subscription.active = false;
    this.#subscriptions.delete(subscription);
    if (this.#onUnreadable.size === 0) call(() => raise(error));
    for (const listener of this.#onUnreadable) call(() => listener(subscription.session, error));
    this.#stopWhenUnused();
  }

  #deliver(subscription: Subscription, events: Iterable<Event>): void {
    if (subscription.delivering) {
      subscription.missed = true;
      return;
    }
    subscription.delivering = true;
    subscription.missed = false;
    try {
      for (const event of events) {
        if (!subscription.active) return;
        subscription.last = event.seq;
        call(() => subscription.listener(event));
      }
    } finally {
      subscription.delivering = false;
    }
    if (subscription.missed) this.#catchUp(subscription);
  }

  #look(waiter: Waiter): void {
    const newest = newestArrival(this.#database, waiter.session);
    if (newest <= waiter.newest) return;
    waiter.newest = newest;
    call(waiter.wake);
  }

  #poll(): void {
    const version = this.#readVersion();
    if (version === this.#version) {
      if (this.#busy > 0 && --this.#busy === 0) this.#pollEvery(POLL_MS);
      return;
    }
    this.#version = version;
    if (!this.#stopWatching) {
      if (this.#busy === 0) this.#pollEvery(BUSY_POLL_MS);
      this.#busy = QUIET_POLLS;
    }
    for (const subscription of this.#subscriptions) this.#catchUp(subscription);
    for (const waiter of this.#waiters) this.#look(waiter);
    this.#notice();
  }

  #notice(): void {
    for (const watcher of this.#watchers) call(watcher);
  }

  /** Changes when another connection commits; this one's own commits leave it. */
  #readVersion(): number {
    return this.#database.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }

  #startPolling(): void {
    if (this.#stopPolling) return;
    this.#stopWatching = this.#watch?.(() => this.#poll());
    this.#version = this.#readVersion();
    this.#busy = 0;
    this.#pollEvery(this.#stopWatching ? WATCHED_POLL_MS : POLL_MS);
  }

  #pollEvery(ms: number): void {
    this.#stopPolling?.();
    this.#stopPolling = this.#clock.every(ms, () => this.#poll());
  }

  #stopWhenUnused(): void {
    if (this.#subscriptions.size + this.#waiters.size + this.#watchers.size > 0) return;
    this.#stopPolling?.();
    this.#stopPolling = undefined;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }
}

function raise(error: unknown): never {
  throw error;
}

/** A listener that throws is a bug of its own; it must not cost the others their events. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
