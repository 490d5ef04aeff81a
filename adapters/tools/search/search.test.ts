import { expect, test } from 'vitest';
import { toSearchTest } from './glob.ts';
import { cutList } from './list-files.ts';
import { cutMatches } from './search-files.ts';
import { cutLines } from '../files/read-file.ts';

test.each([
  ['*.ts', ['a.ts', 'src/a.ts', '.x/b.ts', 'src/[id].ts'], ['a.tsx', 'ts', 'src/a.js']],
  ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/b/a.ts', 'x/src/a.ts']],
  ['src/**', ['src/a.ts', 'src/b/c'], ['src', 'lib/a']],
  ['src/', ['src/a.ts'], ['lib/src']],
  ['**/test/*.{js,ts}', ['test/a.js', 'x/y/test/b.ts'], ['test/a.py', 'test/x/a.js']],
  ['src/**/a.ts', ['src/a.ts', 'src/x/y/a.ts'], ['srcx/a.ts']],
  ['[a-c]?.md', ['ab.md', 'x/c1.md'], ['d1.md', 'a.md']],
  ['[!a].md', ['b.md'], ['a.md']],
  ['!*.md', ['a.ts'], ['a.md']],
  ['a+b(c).txt', ['a+b(c).txt'], ['aab(c).txt']],
  ['{a', ['{a'], ['a']],
  ['[a&b].md', ['&.md', 'a.md'], ['c.md']],
  ['/a.ts', ['a.ts'], ['src/a.ts']],
  ['./*.ts', ['a.ts'], ['src/a.ts']],
  ['src/**.ts', ['src/a.ts', 'src/b/a.ts'], ['a.ts']],
  ['a(b|c)+@(d)', ['a(b|c)+@(d)'], ['abd', 'ab']],
  [`${'**/'.repeat(40)}z`, ['z', 'a/b/z'], ['a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/zz']],
])('glob %s', (glob, yes, no) => {
  const fits = toSearchTest(glob);
  expect(yes.filter((path) => !fits(path))).toEqual([]);
  expect(no.filter((path) => fits(path))).toEqual([]);
});

test('a long list is cut to counts and a sample over all of it', () => {
  const list = Array.from(
    { length: 5_000 },
    (_, i) => `${i < 2_500 ? 'src' : 'docs'}/file-${i}.${i % 5 === 0 ? 'md' : 'ts'}`,
  ).join('\n');
  const cut = cutList(list, 2_000);
  expect(cut.length).toBeLessThanOrEqual(2_000);
  expect(cut).toContain('5000 entries');
  expect(cut).toContain('.ts 4000, .md 1000');
  expect(cut).toContain('docs/ 2500, src/ 2500');
  expect(cut).toMatch(/src\/file-\d/);
  expect(cut).toMatch(/docs\/file-4\d\d\d/);
  expect(cutList('a\nb', 100)).toBe('a\nb');
});

test('many matches are cut to counts and the first matches of every file', () => {
  const blocks = Array.from({ length: 20 }, (_, f) =>
    [`src/f${f}.ts`, ...Array.from({ length: 30 }, (_, i) => `${i + 1}: match ${f}-${i} ${'x'.repeat(40)}`)].join('\n'),
  );
  const cut = cutMatches(['600 matches in 20 files', ...blocks].join('\n\n'), 3_000);
  expect(cut.length).toBeLessThanOrEqual(3_000);
  expect(cut).toContain('600 matches in 20 files');
  expect(cut).toContain('.ts 20');
  for (let f = 0; f < 20; f++) expect(cut).toContain(`match ${f}-0 `);
});

test('a long file is cut between lines, with the numbers of what is missing', () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i + 1}`);
  const cut = cutLines(lines.join('\n'), 1_000);
  expect(cut.length).toBeLessThanOrEqual(1_000);
  const [, from, to] = /lines (\d+)–(\d+) omitted/.exec(cut)!;
  expect(cut).toContain(`line ${Number(from) - 1}\n[`);
  expect(cut).toContain(`]\nline ${Number(to) + 1}\n`);
  const ranged = cutLines(lines.map((line, i) => `${i + 501}\t${line}`).join('\n'), 1_000);
  expect(Number(/lines (\d+)–/.exec(ranged)![1])).toBeGreaterThan(500);
  expect(cutLines('x'.repeat(5_000), 1_000).length).toBeLessThanOrEqual(1_000);
});

test('a glob of an agent takes no time for a long path', () => {
  expect(toSearchTest(`${'*a'.repeat(300)}b`)('a'.repeat(4_000))).toBe(false);
  expect(() => toSearchTest('a'.repeat(1_001))).toThrow('1000 characters');
});

test('a glob that means nothing is named', () => {
  expect(() => toSearchTest('[z-a]')).toThrow('[z-a]');
});
