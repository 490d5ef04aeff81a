const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 26 characters of Crockford base 32, 48 bits of time and 80 of randomness. Sorts by time. */
export type Ulid = string;

/**
 * Encodes a ULID from its two parts.
 *
 * @param time Unix milliseconds, 0 … 2^48 − 1.
 * @param random Exactly 10 bytes.
 * @throws RangeError when either is out of range.
 * @source https://github.com/ulid/spec
 */
export function toUlid(time: number, random: Uint8Array): Ulid {
  if (!Number.isInteger(time) || time < 0 || time >= 2 ** 48) throw new RangeError('time must fit 48 bits');
  if (random.length !== 10) throw new RangeError('random must be 10 bytes');
  let head = '';
  for (let rest = time, i = 0; i < 10; i++) {
    head = ALPHABET[rest % 32] + head;
    rest = Math.floor(rest / 32);
  }
  let tail = '';
  let bits = 0;
  let held = 0;
  for (const byte of random) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      tail += ALPHABET[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return head + tail;
}

/** True for a well-formed ULID in its canonical upper-case spelling. */
export function isUlid(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

/** The time of a ULID, in Unix milliseconds; undefined for any other text. */
export function readUlidTime(text: string): number | undefined {
  if (!isUlid(text)) return undefined;
  let time = 0;
  for (const letter of text.slice(0, 10)) time = time * 32 + ALPHABET.indexOf(letter);
  return time;
}
