import { isKlausError, type Event } from '@klaus/core/protocol';
import { callListener, throwLater } from './call-listener.ts';
import type { Change } from './change.ts';

/** Milliseconds after which a read that failed because of a lost or slow database is tried again. */
const RETRY_MS = 250;

interface Subscription {
  session: string;
  listener: (event: Event) => void;
  /** Seq of the last delivered event. */
  last: number;
  isReading: boolean;
  /** More events arrived during a delivery. */
  hasMissed: boolean;
}

interface Waiter {
  session: string;
  wake: () => void;
}

export interface NotifierParts {
  read(session: string, after: number): AsyncIterable<readonly Event[]>;
  /** Called before the listeners for commands and lists, with a change of any process; undefined after notifications were missed. */
  apply(change: Change | undefined): Promise<void>;
  /** Number of this process: its own notifications are not delivered twice. */
  holder(): number;
}

/**
 * Notifies listeners of changes: of this process after its commit, of other processes by their notifications. After a
 * lost connection everything that is subscribed is read again from its last event.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiters = new Set<Waiter>();
  readonly #watchers = new Set<() => void>();
  readonly #onUnreadable = new Set<(session: string, error: unknown) => void>();
  /** Changes are applied and reported one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** The listener is called later, so that it can already use the returned function. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void {
    const subscription: Subscription = { session, listener, last: after, isReading: false, hasMissed: false };
    this.#subscriptions.add(subscription);
    void this.#catchUp(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /** Commands that are already in the inbox do not wake the listener: listen first, then read the inbox. */
  onSend(session: string, wake: () => void): () => void {
    const waiter: Waiter = { session, wake };
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Calls `notice` after every commit of any process. */
  watch(notice: () => void): () => void {
    this.#watchers.add(notice);
    return () => this.#watchers.delete(notice);
  }

  /**
   * Calls `listener` when a session's log cannot be read, such as one of a later version; its subscriptions end. Without
   * a listener the error is thrown and ends the process.
   */
  onUnreadable(listener: (session: string, error: unknown) => void): () => void {
    this.#onUnreadable.add(listener);
    return () => this.#onUnreadable.delete(listener);
  }

  /** Call it after this process committed. Resolves when the listeners were called, except those that wait for a read. */
  committed(change: Change, events: readonly Event[] = []): Promise<void> {
    return this.#enqueue(async () => {
      if (change.kind === 'events') this.#publish(change.session, events);
      await this.#parts.apply(change);
      this.#report(change);
    });
  }

  /** Call it with each notification. */
  received(change: Change): void {
    if (change.holder !== this.#parts.holder()) this.#changed(change);
  }

  /** Call it when notifications may have been missed: of a session, or of all. */
  missed(session?: string): void {
    if (session !== undefined) {
      this.#changed({ kind: 'events', holder: this.#parts.holder(), session, seq: Infinity });
      return;
    }
    void this.#enqueue(async () => {
      await this.#parts.apply(undefined);
      for (const subscription of this.#subscriptions) void this.#catchUp(subscription);
      for (const waiter of this.#waiters) callListener(waiter.wake);
      this.#notice();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#subscriptions.clear();
    this.#waiters.clear();
    this.#watchers.clear();
    await this.#queue;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.#queue.then(async () => {
      if (!this.#isClosed) await work();
    });
    this.#queue = next.catch(() => {});
    return this.#queue;
  }

  #changed(change: Change): void {
    void this.#enqueue(async () => {
      for (const subscription of this.#subscriptions) {
        if (subscription.session === change.session && change.kind === 'events' && subscription.last < change.seq)
          void this.#catchUp(subscription);
      }
      await this.#parts.apply(change);
      this.#report(change);
    });
  }

  #report(change: Change): void {
    if (change.kind === 'inbox') {
      for (const waiter of this.#waiters) if (waiter.session === change.session) callListener(waiter.wake);
    }
    this.#notice();
  }

  #notice(): void {
    for (const watcher of this.#watchers) callListener(watcher);
  }

  /** Usually these are the next events for the listener. Otherwise it reads from the database. */
  #publish(session: string, events: readonly Event[]): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.session !== session) continue;
      if (!subscription.isReading && events[0]?.seq === subscription.last + 1) this.#deliver(subscription, events);
      else void this.#catchUp(subscription);
    }
  }

  #deliver(subscription: Subscription, events: readonly Event[]): void {
    for (const event of events) {
      if (!this.#subscriptions.has(subscription)) return;
      if (event.seq !== subscription.last + 1) continue;
      subscription.last = event.seq;
      callListener(() => subscription.listener(event));
    }
  }

  async #catchUp(subscription: Subscription): Promise<void> {
    subscription.hasMissed = true;
    if (subscription.isReading) return;
    subscription.isReading = true;
    try {
      while (subscription.hasMissed && this.#subscriptions.has(subscription)) {
        subscription.hasMissed = false;
        for await (const events of this.#parts.read(subscription.session, subscription.last)) {
          this.#deliver(subscription, events);
          if (!this.#subscriptions.has(subscription)) return;
        }
      }
    } catch (error) {
      this.#failed(subscription, error);
    } finally {
      subscription.isReading = false;
    }
  }

  #failed(subscription: Subscription, error: unknown): void {
    if (isKlausError(error) && error.retryable) {
      setTimeout(() => void this.#catchUp(subscription), RETRY_MS).unref();
      return;
    }
    if (!this.#subscriptions.delete(subscription)) return;
    if (this.#onUnreadable.size === 0) throwLater(error);
    for (const listener of this.#onUnreadable) callListener(() => listener(subscription.session, error));
  }
}
