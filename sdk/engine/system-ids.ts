import { hash, randomBytes } from 'node:crypto';
import type { Ids } from '@klaus/core/agent';
import { toUlid } from '@klaus/core/protocol';

/** Ids and random numbers of the machine. ULIDs of one millisecond are incremented, so that they sort by creation. */
export function createSystemIds(now: () => number = Date.now): Ids {
  let last = 0;
  let random = randomBytes(10);
  return {
    ulid() {
      const time = Math.max(last, now());
      if (time === last) increment(random);
      else random = randomBytes(10);
      last = time;
      return toUlid(time, random);
    },
    digest: (content) => hash('sha256', content, 'hex'),
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  };
}

function increment(bytes: Uint8Array): void {
  for (let index = bytes.length - 1; index >= 0; index--) {
    bytes[index] = (bytes[index]! + 1) & 255;
    if (bytes[index] !== 0) return;
  }
}
