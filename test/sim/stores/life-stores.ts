import type { Clock, SessionStore } from '@klaus/core/agent';
import type { Command, Event } from '@klaus/core/protocol';

/** The real store of one simulated process. */
export interface ProcessStore extends Omit<SessionStore, 'view' | 'close'> {
  /** Ends it like SIGKILL: nothing is released by the process. It has no pending writes. */
  kill(): Promise<void>;
}

/** Durable data, read synchronously over a connection of its own. */
export interface DurableData {
  /** In order, after this seq. */
  events(session: string, after: number): Iterable<Event>;
  /** Commands that are not consumed. */
  inbox(session: string): Command[];
}

/** The stores of one life: all processes of it share the data. */
export interface LifeStores {
  readonly durable: DurableData;
  /** True when commits reach other processes in real time: the simulation then notifies them in simulated time. */
  readonly isRemote: boolean;
  open(options: { name: string; clock: Clock }): Promise<ProcessStore>;
  close(): Promise<void>;
}
