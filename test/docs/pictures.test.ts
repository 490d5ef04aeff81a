// Covers docs/images, scripts/screenshots.ts, scripts/terminal-screenshots.ts: the pictures of the manual are made by `npm run screenshots`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`);

const find = (texts: readonly string[], pattern: RegExp): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!))),
];

test('each picture is shown in the manual, and made by a script that `npm run screenshots` starts', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { screenshots: string } };
  const sources = find([scripts.screenshots], /node (\S+\.ts)/g).map(read);
  expect(sources).toHaveLength(3);
  const made = find(sources, /(?:shoot\(page, \{ name: |draw\()'([\w-]+)'/g).toSorted();
  const shown = find(['README.md', ...pages].map(read), /images\/([\w-]+)\.png/g).toSorted();
  const list = (folder: string): string[] =>
    readdirSync(join(ROOT, folder)).flatMap((name) => /^(.*)\.png$/.exec(name)?.[1] ?? []);
  const files = list('docs/images');
  expect(made).toEqual(files.toSorted());
  expect(shown).toEqual(files.toSorted());
  const moments = find(pages.map(read), /images\/moments\/([\w-]+)\.png/g);
  expect(moments.toSorted()).toEqual(list('docs/images/moments').toSorted());
});
