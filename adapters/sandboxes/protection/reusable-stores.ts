import { closeObjectStore, type ObjectStore } from './object-store.ts';

/** Object stores and placeholders of a command that has ended, for the next command on the workspace. */
export interface ReusableStores {
  folders: readonly string[];
  /** Stores to which the command added nothing. */
  stores: readonly ObjectStore[];
  /** Removes the placeholders that no other command uses. */
  release: () => void;
}

/** Closes the stores that no other command has taken over. Call only while all commands on the workspace are paused. */
export function closeReusable({ stores, release }: ReusableStores, taken: readonly ObjectStore[] = []): void {
  release();
  for (const store of stores) if (!taken.some(({ intake }) => intake === store.intake)) closeObjectStore(store);
}
