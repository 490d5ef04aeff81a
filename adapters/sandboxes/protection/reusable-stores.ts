import { closeObjectStore, type ObjectStore } from './object-store.ts';

/** What a command held that has ended, and that the next command on the workspace would hold again. */
export interface Spare {
  /** What the command could change: its workspace, and the folders beside it. */
  folders: readonly string[];
  /** Intakes in which the command left nothing. */
  stores: readonly ObjectStore[];
  /** Removes what was made at missing places, where no other command needs it. */
  release: () => void;
}

/** Closes it, except what another command has taken over. To be called while no command is at work on the workspace. */
export function closeSpare({ stores, release }: Spare, taken: readonly ObjectStore[] = []): void {
  release();
  for (const store of stores) if (!taken.some(({ intake }) => intake === store.intake)) closeObjectStore(store);
}
