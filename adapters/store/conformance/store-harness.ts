import type { SessionStore, StoreView } from '@klaus/core/agent';
import type { StoreProcess } from '../fixtures/store-process.ts';

/** What every store has. Complete logs are in the view of a store on the same machine only. */
export interface TestedStore extends SessionStore {
  readonly view: Omit<StoreView, 'events' | 'texts' | 'eventsOf' | 'hostEvents'>;
}

/** A new, empty store for one test. Disposing it deletes the store. */
export interface StoreHarness extends AsyncDisposable {
  /** Connects to the store. Several connections at once behave like several processes. */
  open(): Promise<TestedStore & AsyncDisposable>;
  /** Starts another process that works on the store, as `fixtures/store-program.ts` does. */
  start(): Promise<StoreProcess>;
  /** Replaces a stored record by another text, or deletes it, as damage does. */
  damage(session: string, seq: number, record?: string): Promise<void>;
}

export type CreateStoreHarness = () => Promise<StoreHarness>;
