import { expect, test } from 'vitest';
import { toModelName, toPriceClass } from './model-name.ts';

test('a model has a name for people', () => {
  expect(toModelName('anthropic/claude-opus-5-5')).toBe('Opus 5.5');
  expect(toModelName('anthropic/claude-haiku-4-5-20251001')).toBe('Haiku 4.5');
  expect(toModelName('openai/gpt-5.4-mini')).toBe('GPT 5.4 Mini');
  expect(toModelName('openrouter/anthropic/claude-sonnet-5.5')).toBe('Sonnet 5.5');
  expect(toModelName('openai/o3')).toBe('O3');
  expect(toModelName('custom')).toBe('Custom');
});

test('a price has one of three classes', () => {
  expect([1, 0.41, 0.4, 0.12, 0, null].map(toPriceClass)).toEqual(['$$$', '$$$', '$$', '$', '$', '']);
});
