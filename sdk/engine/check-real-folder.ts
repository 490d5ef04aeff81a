import { realpathSync } from 'node:fs';
import { KlausError } from '@klaus/core/protocol';

/**
 * Refuses a folder of a session if a symbolic link has taken its place, or that of a folder above it. Agents and the user
 * agreed to the folder that the log names, and not to the one to which the link leads. A missing folder is not refused.
 *
 * @param folder Absolute path that was real when it was recorded.
 * @throws KlausError `workspace.missing`.
 */
export function checkRealFolder(folder: string): void {
  const real = findReal(folder);
  if (real === undefined || real === folder) return;
  throw new KlausError(
    'workspace.missing',
    `A symbolic link has replaced the folder ${folder}, or one above it. It leads to ${real}.`,
    {
      hint: `If you have moved the folder, open a new session in it. Otherwise remove the link, and restore the folder.`,
    },
  );
}

function findReal(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
}
