import { z } from 'zod';
import { defineSetting } from './setting.ts';

// No white space, which is invalid in an HTTP header.
const secret = z.string().regex(/^[\x21-\x7e]+$/);

/** Declares the setting of a key or token, which is never shown. */
export function credential(env: string, description: string) {
  return defineSetting({
    schema: secret,
    env,
    unset: 'none',
    values: 'printable ASCII without spaces',
    description,
    secret: true,
  });
}
