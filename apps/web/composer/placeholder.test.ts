import { expect, test } from 'vitest';
import { findPlaceholder } from './placeholder.ts';

test('the next placeholder is found from a position on', () => {
  const text = 'Fix {{issue}} in {{where}}, not {{}} or {{';
  expect(findPlaceholder(text, 0)).toEqual({ start: 4, end: 13 });
  expect(findPlaceholder(text, 5)).toEqual({ start: 17, end: 26 });
  expect(findPlaceholder(text, 18)).toBeUndefined();
  expect(findPlaceholder('no', 0)).toBeUndefined();
});
