import { expect, test } from 'vitest';
import { indexPaths } from './rank-paths.ts';

const PATHS = [
  'README.md',
  'apps/web/sessions/session-page.tsx',
  'apps/web/sessions/session-list.tsx',
  'apps/web/log/session-log.ts',
  'apps/web/usage/usage-page.tsx',
  'docs/pages/setup.md',
  'src/HttpServer.ts',
  'src/http/server.ts',
  'src/hot-path/spread.ts',
  'src/index.ts',
  'src/index.test.ts',
  'lib/nested/deeper/index.ts',
  'übung/Straße.txt',
];

const find = indexPaths(PATHS);
const first = (query: string, many = 1) => find(query, 10).slice(0, many);

test('characters are found in order, with gaps and ignoring case', () => {
  expect(first('sespag')).toEqual(['apps/web/sessions/session-page.tsx']);
  expect(first('READ')).toEqual(['README.md']);
  expect(first('stra')).toEqual(['übung/Straße.txt']);
  expect(find('zq', 10)).toEqual([]);
  expect(find('xedni', 10)).toEqual([]);
});

test('the beginnings of words come before what is scattered', () => {
  expect(first('sp', 2)).toEqual(['src/hot-path/spread.ts', 'apps/web/sessions/session-page.tsx']);
  expect(first('hs')).toEqual(['src/HttpServer.ts']);
  expect(first('up')).toEqual(['apps/web/usage/usage-page.tsx']);
});

test('the name counts more than its folders, and the short path more than the long one', () => {
  expect(first('server')[0]).toBe('src/http/server.ts');
  expect(first('index', 3)).toEqual(['src/index.ts', 'src/index.test.ts', 'lib/nested/deeper/index.ts']);
  expect(first('page')[0]).not.toBe('docs/pages/setup.md');
});

test('folders can be named too', () => {
  expect(first('http/s')).toEqual(['src/http/server.ts']);
  expect(first('log/ses')).toEqual(['apps/web/log/session-log.ts']);
});

test('no more than asked for comes back, and of many the best', () => {
  expect(find('', 2)).toEqual(['README.md', 'src/index.ts']);
  const findMany = indexPaths(Array.from({ length: 5_000 }, (_, at) => `folder-${at % 71}/file-${at}.ts`));
  expect(findMany('file42', 5)).toHaveLength(5);
  expect(findMany('file4242', 5)[0]).toBe('folder-53/file-4242.ts');
});
