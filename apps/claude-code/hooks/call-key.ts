import { createHash } from 'node:crypto';

/** A call, or a prompt, in a short form: an allowance of the user is for it alone. */
export function toKey(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
