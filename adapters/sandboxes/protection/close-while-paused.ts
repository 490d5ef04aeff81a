import { isKlausError } from '@klaus/core/protocol';
import { pauseRunning } from '../process/running-commands.ts';
import type { Protection } from './protected-folders.ts';
import { ProtectedWorkspace, type SavedProtection } from './protected-workspace.ts';
import { closeSpare, type Spare } from './reusable-stores.ts';

/**
 * Puts right what a command changed, while no other command is at work on the workspace. Where one cannot be paused it
 * is done all the same: left undone it would be worse.
 *
 * @param home Klaus's own state.
 * @returns What was put right, as sentences; none the second time.
 */
export async function closeWhilePaused(home: string, protection: Protection | undefined): Promise<string[]> {
  if (!protection || protection.isClosed) return [];
  return whilePaused(home, toFolders(protection.saved), () => protection.close());
}

/** As {@link closeWhilePaused}, where another command is expected. */
export async function closeForNextWhilePaused(
  home: string,
  protection: Protection,
): Promise<{ warnings: string[]; spare: Spare }> {
  return whilePaused(home, toFolders(protection.saved), () => protection.closeForNext());
}

/** Closes what stayed for a command that does not come. */
export async function closeSpareWhilePaused(home: string, spare: Spare): Promise<void> {
  await whilePaused(home, spare.folders, () => closeSpare(spare));
}

/** The same for a command that an earlier Klaus started. */
export function closeSavedWhilePaused(saved: SavedProtection): Promise<string[]> {
  return whilePaused(saved.home, toFolders(saved), () => ProtectedWorkspace.closeSaved(saved));
}

/** The same for a command that has not begun. */
export async function discardWhilePaused(home: string, protection: Protection | undefined): Promise<void> {
  if (protection && !protection.isClosed)
    await whilePaused(home, toFolders(protection.saved), () => protection.discard());
}

/** What a command can change. */
function toFolders({ view, beside = [] }: SavedProtection): string[] {
  return [view.target, ...beside.flatMap(toFolders)];
}

async function whilePaused<T>(home: string, folders: readonly string[], work: () => T): Promise<T> {
  const resume = await pauseRunning(home, folders).catch((error: unknown) => {
    if (isKlausError(error)) return () => {};
    throw error;
  });
  try {
    return work();
  } finally {
    resume();
  }
}
