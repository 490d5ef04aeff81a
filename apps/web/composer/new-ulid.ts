import { toUlid, type Ulid } from '@klaus/core/protocol';

/** A name for something that may have to be sent twice. */
export function newUlid(): Ulid {
  return toUlid(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}
