import { toOwnName } from './base-path.ts';

/** Reads a value that this browser stores. Undefined or null without storage, without the value and for other data. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(toOwnName(key)) ?? 'null');
  } catch {
    return undefined;
  }
}

export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(toOwnName(key), JSON.stringify(value));
  } catch {
    // No storage or no space left: the value lasts until the page is closed.
  }
}
