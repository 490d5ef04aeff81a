import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSignedCookie } from './signed-cookie.ts';

const schema = z.object({ name: z.string(), until: z.number() });
const cookies = createSignedCookie('a-secret', schema);
const later = Date.now() + 60_000;

test('a value comes back until it expires', () => {
  expect(cookies.read(cookies.toValue({ name: 'Å', until: later }))).toEqual({
    state: 'valid',
    value: { name: 'Å', until: later },
  });
  expect(cookies.read(cookies.toValue({ name: 'a', until: Date.now() }))).toEqual({ state: 'expired' });
  expect(cookies.toValue({ name: 'Å', until: later })).toMatch(/^[\w-]+\.[\w-]+$/);
});

test('a value of another secret, another shape or with any other byte is wrong', () => {
  const value = cookies.toValue({ name: 'a', until: later });
  expect(createSignedCookie('another', schema).read(value)).toEqual({ state: 'wrong' });
  expect(createSignedCookie('a-secret', schema.extend({ role: z.string() })).read(value)).toEqual({ state: 'wrong' });
  for (let at = 0; at < value.length; at++) {
    const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);
    expect(cookies.read(changed)).toEqual({ state: 'wrong' });
    expect(cookies.read(value.slice(0, at))).toEqual({ state: 'wrong' });
  }
});
