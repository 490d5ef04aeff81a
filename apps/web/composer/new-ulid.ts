import { toUlid, type Ulid } from '@klaus/core/protocol';

/** An id for an idempotent request. */
export function newUlid(): Ulid {
  return toUlid(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}
