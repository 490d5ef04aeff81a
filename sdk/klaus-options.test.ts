import { expect, test } from 'vitest';
import type { KlausOptions } from './klaus-options.ts';

test('settings have the types of their keys', () => {
  const right: KlausOptions['settings'] = { model: 'sonnet', 'limits.usd': 2, 'sandbox.driver': 'host' };
  // @ts-expect-error: There is no such key.
  const key: KlausOptions['settings'] = { 'limits.usdd': 2 };
  // @ts-expect-error: A model is a text.
  const value: KlausOptions['settings'] = { model: 5 };
  // @ts-expect-error: There is no such mode.
  const choice: KlausOptions['settings'] = { approve: 'always' };
  expect([right, key, value, choice]).toHaveLength(4);
});
