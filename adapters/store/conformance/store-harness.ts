import type { SessionStore } from '@klaus/core/agent';
import type { StoreProcess } from '../fixtures/store-process.ts';

/** A new, empty store for one test. Disposing it deletes the store. */
export interface StoreHarness extends AsyncDisposable {
  /** Connects to the store. Several connections at once behave like several processes. */
  open(): Promise<SessionStore & AsyncDisposable>;
  /** Starts another process that works on the store, as `fixtures/store-program.ts` does. */
  start(): Promise<StoreProcess>;
}

export type CreateStoreHarness = () => Promise<StoreHarness>;
