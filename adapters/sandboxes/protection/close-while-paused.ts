import { isKlausError } from '@klaus/core/protocol';
import { pauseRunning } from '../process/running-commands.ts';
import type { Protection } from './protected-folders.ts';
import { ProtectedWorkspace, type SavedProtection } from './protected-workspace.ts';
import { closeReusable, type ReusableStores } from './reusable-stores.ts';

/**
 * Closes the protection of a command while all other commands on the workspace are paused. A command that cannot be
 * paused does not prevent it, because unrepaired changes are the greater risk.
 *
 * @returns The repairs that were made, as sentences; none the second time.
 */
export async function closeWhilePaused(home: string, protection: Protection | undefined): Promise<string[]> {
  if (!protection || protection.isClosed) return [];
  return whilePaused(home, toFolders(protection.saved), () => protection.close());
}

/** As {@link closeWhilePaused}, if another command is expected. */
export async function closeForReuseWhilePaused(
  home: string,
  protection: Protection,
): Promise<{ warnings: string[]; reusable: ReusableStores }> {
  return whilePaused(home, toFolders(protection.saved), () => protection.closeForReuse());
}

/** Closes the stores that were kept open for a command that did not follow. */
export async function closeReusableWhilePaused(home: string, reusable: ReusableStores): Promise<void> {
  await whilePaused(home, reusable.folders, () => closeReusable(reusable));
}

/** As {@link closeWhilePaused}, for a command that another Klaus process started. */
export function closeSavedWhilePaused(saved: SavedProtection): Promise<string[]> {
  return whilePaused(saved.home, toFolders(saved), () => ProtectedWorkspace.closeSaved(saved));
}

/** Discards the protection of a command that has not begun. */
export async function discardWhilePaused(home: string, protection: Protection | undefined): Promise<void> {
  if (protection && !protection.isClosed)
    await whilePaused(home, toFolders(protection.saved), () => protection.discard());
}

/** The folders that a command can change. */
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
