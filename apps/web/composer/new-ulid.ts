import { toUlid, type Ulid } from '@klaus/core/protocol';

export function newUlid(): Ulid {
  return toUlid(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}
