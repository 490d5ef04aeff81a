import type { Event } from '../../protocol/index.ts';
import type { SessionRow } from './rows/session-row.ts';

/** A notification that has not been delivered yet. */
export interface Delivery {
  id: number;
  session: string;
  /** Of the event that it reports. */
  seq: number;
  body: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** Failed attempts. */
  attempts: number;
}

/** The right to deliver. One process holds it at a time and loses it when it ends. */
export interface OutboxDelivery {
  /** The oldest notification of each session that may be tried at `now`: later ones of the session wait for it. */
  due(now: number): Promise<Delivery[]>;
  /** When the next attempt is due, in Unix milliseconds; undefined when the outbox is empty. */
  nextAt(): Promise<number | undefined>;
  /** Removes a notification that was delivered or given up. Durable when it resolves. */
  remove(id: number): Promise<void>;
  /** Schedules another attempt. */
  postpone(id: number, dueAt: number): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

/** Notifications about events, for another program. They survive the process and are delivered in the order of each session. */
export interface Outbox {
  /**
   * Passes each event that this process appends from now on to `toBody` and stores the returned notification in the same
   * transaction: each such event has exactly one notification. `readSession` reads the row of its session after the event.
   */
  collect(toBody: (event: Event, readSession: () => SessionRow | undefined) => string | undefined): void;
  /** Undefined while another process delivers. */
  deliver(): Promise<OutboxDelivery | undefined>;
}
