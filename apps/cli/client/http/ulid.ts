import { randomBytes } from 'node:crypto';
import { toUlid } from '@klaus/sdk/ulid';

/** A new ULID, for a request that can be repeated with one effect. */
export function toNewUlid(): string {
  return toUlid(Date.now(), randomBytes(10));
}
