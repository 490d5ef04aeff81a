import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './race-error.ts';

/**
 * Makes a folder for the user alone, with those above it, where it is missing. New names are durable when it returns:
 * what is synced in a folder whose own name is lost with the power is lost too.
 *
 * @param folder Absolute and in its plain form.
 */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // One that may not be read cannot be synced.
    if (!['EACCES', 'EINVAL'].includes(codeOf(error))) throw error;
  }
}
