import type { SessionStore, StoreView } from '@klaus/core/agent';
import type { StoreProcess } from '../fixtures/store-process.ts';

/** What every store has. Complete logs are in the view of a store on the same machine only. */
export interface TestedStore extends Omit<SessionStore, 'view'> {
  readonly view: Pick<StoreView, 'attention' | 'inbox' | 'watch'>;
}

/** A new, empty store for one test. Disposing it deletes the store. */
export interface StoreHarness extends AsyncDisposable {
  /** Connects to the store. Several connections at once behave like several processes. */
  open(): Promise<TestedStore & AsyncDisposable>;
  /** Starts another process that works on the store, as `fixtures/store-program.ts` does. */
  start(): Promise<StoreProcess>;
}

export type CreateStoreHarness = () => Promise<StoreHarness>;
