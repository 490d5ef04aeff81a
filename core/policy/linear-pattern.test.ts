import { describe, expect, test } from 'vitest';
import { createSchemaPatterns, describeUnchecked, toLinearPattern } from './linear-pattern.ts';

describe('a pattern', () => {
  test.each([
    ['^\\d{4}-\\d{2}$', '2026-11', '2026-1'],
    ['^[A-Z][\\w-]+\\/x$', 'Ab-c/x', 'ab/x'],
    ['^(?<name>a|b)$', 'b', 'c'],
    ['^\\u0041\\u{1F600}$', 'A😀', 'A'],
    ['^\\p{L}+$', 'é', '1'],
    ['^$', '', 'a'],
    ['b', 'abc', 'ac'],
  ])('%s', (source, fits, other) => {
    const pattern = toLinearPattern(source)!;
    expect([pattern.test(fits), pattern.test(other)]).toEqual([true, false]);
  });

  test.each(['(?=a)b', '(?<!a)b', '(a)\\1', '(', 'a{1001}', '((a{100}){100}){100}', 'a'.repeat(2_001)])(
    'that cannot be tested in linear time is none: %s',
    (source) => expect(toLinearPattern(source)).toBeUndefined(),
  );

  test('is not tested with a text that is too long for it', () => {
    expect(toLinearPattern('^(?:a?){500}a{500}$')!.test(`${'a'.repeat(100_000)}!`)).toBe(true);
  });
});

test('patterns of a schema that are not checked are known and named', () => {
  const patterns = createSchemaPatterns();
  expect([patterns('(?=a)b').test('x'), patterns('^a$').test('x')]).toEqual([true, false]);
  expect([...patterns.unchecked]).toEqual(['(?=a)b']);
  expect(describeUnchecked(patterns.unchecked)).toContain('"(?=a)b"');
  expect(describeUnchecked(new Set())).toBe('');
});
