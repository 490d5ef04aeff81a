import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

export type Token = ReturnType<typeof createToken>;

/** Reads the token from a file that only this user can read. The first start creates it. @param file Absolute path. */
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
      // Another process may have created it in the meantime. A token that is too short is replaced.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (readFileSync(file, 'utf8').trim().length < 32) writeFileSync(file, `${text}\n`, { mode: 0o600 });
    }
  }
}

/** The secret that authenticates a client. It is compared in constant time. */
export function createToken(text: string) {
  // What a browser stores instead: derived from the token, which cannot be derived from it.
  const cookie = createHmac('sha256', text).update('klaus: signed in').digest('base64url');
  return {
    text,
    cookie,
    isToken: (given: string): boolean => isSame(given, text),
    isCookie: (given: string): boolean => isSame(given, cookie),
  };
}

/** Compares digests, which have one length, so that the time does not depend on the length either. */
function isSame(a: string, b: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}
