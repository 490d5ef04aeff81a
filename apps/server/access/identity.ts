import { headOf } from '@klaus/sdk/cut-text';
import type { Role } from '../contract/index.ts';

/** Who sent a request, and what it may do. */
export interface Identity {
  /** Absent for the token and the Unix socket: the user who runs the server. */
  readonly name?: string;
  readonly role: Role;
  /** Absolute paths of the folders whose sessions and files it may see. Absent: all. */
  readonly folders?: readonly string[];
  /** A sign-in that ends, at `until` in Unix milliseconds at the latest. Absent: it does not end. */
  readonly session?: { readonly id: string; readonly until: number };
}

/** The user who runs the server: over the Unix socket, or with the token. */
export const OWNER: Identity = { role: 'admin' };

/** Characters of a name that are kept. */
const MAX_NAME = 100;

/** A name from outside as one line without control characters; undefined if nothing is left. */
export function toName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = headOf(given.replace(/[\p{C}\s]+/gu, ' ').trim(), MAX_NAME);
  return name === '' ? undefined : name;
}
