import { matchesGlob as matchesInNode } from 'node:path';
import { expect, test } from 'vitest';
import { matchesGlob, matchesText, toGlobTest } from './glob.ts';

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
  ['@(a)', ['@(a)'], ['a']],
  ['+(a)', ['+(a)'], ['a', 'aa']],
  ['!(a)', ['!(a)'], ['b', 'a']],
  ['*(a)', ['(a)', 'b(a)'], ['', 'a', 'aa']],
  ['?(a)', ['b(a)'], ['a', '(a)']],
  ['a\\*', ['a\\b'], ['a*']],
  ['src/***/x', ['src/a/x', 'src/a/b/x'], ['src/x']],
  ['**', ['a', 'a/b', 'a\nb'], []],
  ['?', ['a', '😀', '\n'], ['', 'ab']],
  ['.*', ['.env', 'x/.env'], ['a']],
  ['*', ['a', '.a', 'a/b'], []],
])('%s', (pattern, matches, others) => {
  expect(matches.filter((path) => !matchesGlob(path, pattern))).toEqual([]);
  expect(others.filter((path) => matchesGlob(path, pattern))).toEqual([]);
});

test.each<[pattern: string, matches: string[], others: string[]]>([
  ['/*.{ts,md}', ['a.ts', '.a.md'], ['a.js', 'a.ts/b', 'b/a.ts', 'a.{ts,md}']],
  ['src/{a,b/**,{c,d}e}', ['src/a', 'src/b/x/y', 'src/ce', 'src/de'], ['src/b', 'src/c', 'src/e']],
  ['{a,}b', ['ab', 'b', 'x/b'], ['a', 'a,b']],
  ['{a', ['{a'], ['a']],
  ['{a,{b}', ['a', 'b'], ['{b', '{a,{b}']],
  ['[a-c][!x]', ['ab', 'by'], ['ax', 'da', 'a/']],
  ['[ab', ['[ab'], ['a']],
  ['x[,]{y,z}', ['x,y', 'x,z'], ['x[,]y']],
])('with sets: %s', (pattern, matches, others) => {
  const test = toGlobTest(pattern, { sets: true });
  expect(matches.filter((path) => !test(path))).toEqual([]);
  expect(others.filter((path) => test(path))).toEqual([]);
});

test('in text, a star matches any characters', () => {
  expect(matchesText('npm run a/b c', 'npm *c')).toBe(true);
  expect(matchesText('git_commit', 'git_*')).toBe(true);
  expect(matchesText('a/b', 'a?b')).toBe(true);
  expect(matchesText('ab/', 'ab')).toBe(false);
  expect(matchesText('x/ab', 'ab')).toBe(false);
});

/** The same numbers in every run. */
function createChance(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

test('what Node.js supports too has the same result there', () => {
  const next = createChance();
  const list = (most: number, pool: readonly string[]) =>
    Array.from({ length: 1 + next(most) }, () => pool[next(pool.length)]!);
  const differences: string[] = [];
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const parts = list(4, [
      'a',
      'b',
      '*',
      '?',
      'a*',
      '*b',
      'a*b',
      'b?',
      '**',
      '**',
      '[ab]',
      '[!a]b',
      '{a,b}',
      '{ab,*a}',
    ]);
    // At the end, `a/**` of Node.js matches `a` too.
    const pattern = `${parts.join('/')}${parts.at(-1) === '**' ? '/*' : ''}`;
    const path = list(5, ['a', 'b', 'ab', 'aab', 'ba']).join('/');
    const own = toGlobTest(`/${pattern}`, { sets: true })(path);
    if (own) matched++;
    if (own !== matchesInNode(path, pattern)) differences.push(`${pattern} ${path}: ${own}`);
  }
  expect(differences).toEqual([]);
  expect(matched).toBeGreaterThan(1_000);
});

test('no pattern takes long for a long path', () => {
  const path = 'a'.repeat(4_000);
  for (const pattern of ['*a'.repeat(30), '**a'.repeat(30), 'a*'.repeat(100), '?*'.repeat(100)]) {
    expect(matchesGlob(path, `${pattern}b*`)).toBe(false);
    expect(matchesText(path, `${pattern}b*`)).toBe(false);
  }
  expect(matchesGlob('a/'.repeat(2_000), `${'**/a/'.repeat(40)}b`)).toBe(false);
  expect(toGlobTest('{'.repeat(500) + 'a*,'.repeat(400) + '}'.repeat(500), { sets: true })(`${path}b`)).toBe(true);
});

test('an invalid set is refused', () => {
  expect(() => toGlobTest('[z-a]', { sets: true })).toThrow(SyntaxError);
});
