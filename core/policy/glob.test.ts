import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

// Grants and policies are stored: a change of these verdicts widens or narrows what they allow.
test.each<[pattern: string, matches: string[], others: string[]]>([
  ['*.env', ['a.env', 'd/a.env', 'a.env/b'], ['env', 'a.envx']],
  ['secrets', ['secrets', 'a/secrets', 'secrets/b'], ['secretsx']],
  ['a/*', ['a/b', 'a/b/c'], ['a', 'x/a/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb']],
  ['a**b', ['ab', 'axb', 'a/b', 'a/x/b'], ['b']],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'asrc/a']],
  ['/src', ['src', 'src/a'], ['a/src']],
  ['**/*.pem', ['a.pem', 'x/a.pem', 'x/y/a.pem'], ['a.pemx']],
  ['a?c', ['abc', 'x/abc'], ['a/c', 'ac']],
  ['app/[id]/p', ['app/[id]/p'], ['app/i/p']],
  ['{a,b}', ['{a,b}'], ['a', 'b']],
  ['!a', ['!a'], ['a', 'b']],
  ['(a|b)+', ['(a|b)+'], ['a', 'ab']],
  ['.*', ['.env', 'x/.env'], ['a']],
  ['*', ['a', '.a', 'a/b'], []],
])('%s', (pattern, matches, others) => {
  expect(matches.filter((path) => !matchesGlob(path, pattern))).toEqual([]);
  expect(others.filter((path) => matchesGlob(path, pattern))).toEqual([]);
});
