import { expect, test } from 'vitest';
import { createShortener } from './shorten-home.ts';

test.each([
  ['/srv/me/x.ts and /srv/me', '~/x.ts and ~'],
  ['"/home/anna/x"', '"~/x"'],
  ['C:\\Users\\anna\\x', '~\\x'],
  ['/Users/anna', '~'],
  ['src/home/page.tsx', 'src/home/page.tsx'],
  ['https://example.com/home/page', 'https://example.com/home/page'],
])('%s', (text, short) => {
  expect(createShortener('/srv/me/')(text)).toBe(short);
});
