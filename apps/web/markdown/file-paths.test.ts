import { expect, test } from 'vitest';
import { splitPaths, toPath } from './file-paths.ts';

const toPaths = (text: string) =>
  splitPaths(text).flatMap((it) =>
    typeof it === 'string' ? [] : [it.line === undefined ? it.path : [it.path, it.line]],
  );

test.each([
  ['See src/a.ts:12 and b.md.', [['src/a.ts', 12], 'b.md']],
  ['(`apps/web/main.tsx`)', ['apps/web/main.tsx']],
  ['./run.sh, ../x/y.py', ['./run.sh', '../x/y.py']],
  [
    'at src/a.ts:12:5 or src/a.ts#L3-L9',
    [
      ['src/a.ts', 12],
      ['src/a.ts', 3],
    ],
  ],
  ['bin/klaus is a program', ['bin/klaus']],
  ['https://example.org/a/b.ts', []],
  ['version 1.2.3, 3.5k, 10.5 MB', []],
  ['either/or is found, and checked by the server', ['either/or']],
  ['', []],
])('the paths of %j', (text, paths) => {
  expect(toPaths(text)).toEqual(paths);
});

test('the parts are the text', () => {
  const text = 'See src/a.ts:12, b.md and c/d/e.json#L3; and no more.';
  expect(
    splitPaths(text)
      .map((it) => (typeof it === 'string' ? it : it.text))
      .join(''),
  ).toBe(text);
});

test('inline code is a path only if it contains nothing else', () => {
  expect(toPath('src/a.ts:3')).toEqual({ text: 'src/a.ts:3', path: 'src/a.ts', line: 3 });
  expect(toPath('Makefile')?.path).toBe('Makefile');
  expect(toPath('cat src/a.ts')).toBe(undefined);
  expect(toPath('a + b')).toBe(undefined);
});

test('a hostile text takes no time', () => {
  const text = `${'a.'.repeat(9_000)}/${'-'.repeat(2_000)}`;
  expect(
    splitPaths(text)
      .map((it) => (typeof it === 'string' ? it : it.text))
      .join(''),
  ).toBe(text);
});
