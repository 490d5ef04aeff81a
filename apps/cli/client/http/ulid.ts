import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A new ULID, for a request that can be repeated with one effect. The engine has its own function, which would load
 * the engine. Source: https://github.com/ulid/spec
 */
export function toNewUlid(): string {
  const bytes = Buffer.concat([Buffer.alloc(6), randomBytes(10)]);
  bytes.writeUIntBE(Date.now(), 0, 6);
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let at = 0; at < 26; at++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}
