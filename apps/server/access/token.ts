import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** Whoever may use the server says this. */
export interface Token {
  readonly text: string;
  /** What a browser is given in its place: it signs in with it, and cannot tell the token from it. */
  readonly cookie: string;
  /** Takes the same time whatever is wrong. */
  isToken(given: string): boolean;
  isCookie(given: string): boolean;
}

/**
 * The token that is kept in a file of this user alone, made at the first start.
 *
 * @param file Absolute.
 */
export function readToken(file: string): string {
  for (;;) {
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (text.length >= 32) return text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const text = randomBytes(32).toString('base64url');
    try {
      writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
      return text;
    } catch (error) {
      // Another process may have made it in between; one that is too short is replaced.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (readFileSync(file, 'utf8').trim().length < 32) writeFileSync(file, `${text}\n`, { mode: 0o600 });
    }
  }
}

export function createToken(text: string): Token {
  const cookie = createHmac('sha256', text).update('klaus: signed in').digest('base64url');
  return {
    text,
    cookie,
    isToken: (given) => isSame(given, text),
    isCookie: (given) => isSame(given, cookie),
  };
}

/** Digests have one length, so that the comparison tells nothing of the length either. */
function isSame(a: string, b: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}
