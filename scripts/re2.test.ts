import { expect, test } from 'vitest';
import { fromRe2, withoutModifiers } from './re2.ts';

test.each([
  ['(?i)abc', 'abc', 'i'],
  ['\\b(p8e-(?i)[a-z]{2})(?:x|$)', '\\b(p8e-(?i:[a-z]{2}))(?:x|$)', ''],
  ['(a(?i)b|c)d', '(a(?i:b)|(?i:c))d', ''],
  ['(?i)a(?-i:[Bb]|C)', 'a(?-i:[Bb]|C)', 'i'],
  ['(?i)x(?i)y', 'xy', 'i'],
  ['[[:alnum:]_]\\z', '[0-9A-Za-z_](?![\\s\\S])', ''],
  ['(?P<name>a)', '(?<name>a)', ''],
  ['[^]]+[]a]', '[^\\]]+[\\]a]', ''],
  ['\\((?s:.)\\[', '\\((?s:.)\\[', ''],
])('%s', (go, pattern, flags) => {
  expect(fromRe2(go)).toEqual({ pattern, flags });
  expect(() => new RegExp(pattern, flags)).not.toThrow();
});

test('a flag in the middle of a group holds up to its end and no further', () => {
  const { pattern, flags } = fromRe2('^(a(?i)b|c)d$');
  const expression = new RegExp(pattern, flags);
  expect(['aBd', 'Cd', 'cd'].every((text) => expression.test(text))).toBe(true);
  expect(['ABd', 'abD', 'cD'].some((text) => expression.test(text))).toBe(false);
});

test.each(['\\pL', '\\Qa\\E', '\\x{1F600}', '[[:nonsense:]]', '[abc'])('%s has no translation', (go) => {
  expect(() => fromRe2(go)).toThrow(expect.objectContaining({ name: 'Error' }));
});

test.each<[pattern: string, flags: string, hits: string[], misses: string[]]>([
  ['^a(?i:b[c-d])$', '', ['aBd', 'abC'], ['Abc', 'abe']],
  ['^a(?-i:[Bb]|C)x$', 'i', ['ABX', 'aCx'], ['acx']],
  ['^(?i:[^k]s)$', '', ['as', 'AS'], ['Ks', 'kS', 'sa']],
  ['^a(?s:.)b.$', '', ['a\nbc'], ['a\nb\n']],
  ['^(?i:[a-z-]{2}(?-i:q))$', '', ['-Zq'], ['-ZQ']],
])('%s with the flags "%s" means the same without flags for a part', (pattern, flags, hits, misses) => {
  const plain = withoutModifiers({ pattern, flags });
  expect(plain.pattern).not.toMatch(/\(\?[ims-]+:/);
  for (const expression of [new RegExp(pattern, flags), new RegExp(plain.pattern, plain.flags)]) {
    expect(hits.filter((text) => !expression.test(text))).toEqual([]);
    expect(misses.filter((text) => expression.test(text))).toEqual([]);
  }
});

test('an expression without flags for a part stays as it is', () => {
  expect(withoutModifiers({ pattern: '(?:a|b)(?=c)(?<d>e)', flags: 'i' })).toEqual({
    pattern: '(?:a|b)(?=c)(?<d>e)',
    flags: 'i',
  });
});
