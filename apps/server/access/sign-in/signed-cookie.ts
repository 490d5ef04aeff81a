import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';

/** `expired`: signed by this server, but no longer valid. `wrong`: not signed by it. */
export type SignedValue<T> = { state: 'valid'; value: T } | { state: 'expired' } | { state: 'wrong' };

/**
 * Signs values that a browser stores. A browser can read them and cannot change them.
 *
 * @param secret Values that were signed with another one are wrong.
 * @param schema Of the values. `until`: Unix milliseconds at which they expire.
 */
export function createSignedCookie<S extends z.ZodType<{ until: number }>>(secret: string, schema: S) {
  const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    toValue(value: z.input<S>): string {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${text}.${sign(text)}`;
    },
    read(given: string): SignedValue<z.output<S>> {
      const [text = '', signature = '', ...rest] = given.split('.');
      const expected = Buffer.from(sign(text));
      const actual = Buffer.from(signature);
      if (rest.length > 0 || expected.length !== actual.length || !timingSafeEqual(expected, actual))
        return { state: 'wrong' };
      const parsed = schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
      if (!parsed.success) return { state: 'wrong' };
      return parsed.data.until > Date.now() ? { state: 'valid', value: parsed.data } : { state: 'expired' };
    },
  };
}
