import { expect, test } from 'vitest';
import { TOKENS, TOKENS_CSS, toColors } from './tokens.ts';

test('each token is a declaration, and each colour has two values', () => {
  for (const [name, value] of Object.entries(TOKENS)) expect(TOKENS_CSS).toContain(`--${name}: ${value};`);
  expect(toColors('surface')).toEqual({ light: '#ffffff', dark: '#131418' });
  expect(() => toColors('radius')).toThrow('radius');
});

test('a token names only tokens', () => {
  const used = [...TOKENS_CSS.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name);
  expect(Object.keys(TOKENS)).toEqual(expect.arrayContaining(used));
});
