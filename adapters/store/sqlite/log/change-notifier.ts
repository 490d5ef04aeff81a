import type { Clock } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { newestArrival } from './inbox.ts';
import { readEvents } from './log.ts';

/** Milliseconds between two polls for changes of other processes, where the kernel does not report writes. */
const POLL_MS = 50;
/** The same where the kernel does: these polls find only what it missed. */
const WATCHED_POLL_MS = 1_000;
/** The same while another process writes and subscribers wait for its events. */
const BUSY_POLL_MS = 20;
/** Polls in a row without a change, after which no other process counts as writing. */
const QUIET_POLLS = 25;

interface Subscription {
  session: string;
  listener: (event: Event) => void;
  /** Seq of the last delivered event. */
  last: number;
  delivering: boolean;
  /** More events arrived during a delivery. */
  missed: boolean;
}

interface Waiter {
  session: string;
  wake: () => void;
  /** Arrival number of the newest known command. */
  newest: number;
}

/**
 * Notifies listeners of changes: of this process at once, of other processes as soon as the kernel reports a write or at
 * the next poll. Without listeners there is no polling.
 */
export class ChangeNotifier {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'every'>;
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiters = new Set<Waiter>();
  readonly #watchers = new Set<() => void>();
  readonly #onUnreadable = new Set<(session: string, error: unknown) => void>();
  readonly #watch: ((notify: () => void) => (() => void) | undefined) | undefined;
  #stopPolling: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;
  #version = 0;
  /** Remaining polls at the shorter interval. */
  #busy = 0;

  /** @param watch Reports writes of any process. Absent: changes are found by polling alone. */
  constructor(
    database: Database,
    clock: Pick<Clock, 'every'>,
    watch?: (notify: () => void) => (() => void) | undefined,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#watch = watch;
  }

  /** The first events are delivered in a microtask, so that a listener can already use the returned function. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void {
    const subscription: Subscription = { session, listener, last: after, delivering: false, missed: false };
    const stop = this.#add(this.#subscriptions, subscription);
    queueMicrotask(() => this.#catchUp(subscription));
    return stop;
  }

  /** Commands that are already in the inbox do not wake the listener: listen first, then read the inbox. */
  onSend(session: string, wake: () => void): () => void {
    return this.#add(this.#waiters, { session, wake, newest: newestArrival(this.#database, session) });
  }

  /** Calls `notice` after every commit of any process. */
  watch(notice: () => void): () => void {
    return this.#add(this.#watchers, notice);
  }

  /**
   * Calls `listener` when a session's log cannot be read, such as one of a later version; its subscriptions end. Without
   * a listener the error is thrown and ends the process.
   */
  onUnreadable(listener: (session: string, error: unknown) => void): () => void {
    this.#onUnreadable.add(listener);
    return () => this.#onUnreadable.delete(listener);
  }

  /** Call it after this process committed events of a session. */
  published(session: string, events: readonly Event[]): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.session !== session) continue;
      // Usually these are the next events for the listener. Otherwise it reads from the database.
      if (events[0]?.seq === subscription.last + 1) this.#deliver(subscription, events);
      else this.#catchUp(subscription);
    }
    this.#notice();
  }

  /** Call it after this process committed a command for a session. */
  sent(session: string): void {
    for (const waiter of this.#waiters) {
      if (waiter.session === session) this.#check(waiter);
    }
    this.#notice();
  }

  /** Call it after this process committed something else that lists of sessions show. */
  touched(): void {
    this.#notice();
  }

  close(): void {
    this.#subscriptions.clear();
    this.#waiters.clear();
    this.#watchers.clear();
    this.#stopWhenUnused();
  }

  #add<T>(listeners: Set<T>, listener: T): () => void {
    listeners.add(listener);
    this.#startPolling();
    return () => {
      listeners.delete(listener);
      this.#stopWhenUnused();
    };
  }

  #catchUp(subscription: Subscription): void {
    if (!this.#subscriptions.has(subscription)) return;
    try {
      this.#deliver(subscription, readEvents(this.#database, subscription.session, subscription.last));
    } catch (error) {
      this.#subscriptions.delete(subscription);
      if (this.#onUnreadable.size === 0) throwLater(error);
      for (const listener of this.#onUnreadable) call(() => listener(subscription.session, error));
      this.#stopWhenUnused();
    }
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
        if (!this.#subscriptions.has(subscription)) return;
        subscription.last = event.seq;
        call(() => subscription.listener(event));
      }
    } finally {
      subscription.delivering = false;
    }
    if (subscription.missed) this.#catchUp(subscription);
  }

  #check(waiter: Waiter): void {
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
    for (const waiter of this.#waiters) this.#check(waiter);
    this.#notice();
  }

  #notice(): void {
    for (const watcher of this.#watchers) call(watcher);
  }

  /** Changes when another connection commits, not on commits of this one. */
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

/** A listener that throws must not prevent the delivery to the others. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    throwLater(error);
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
