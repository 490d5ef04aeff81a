import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findHidden } from './find-secret-files.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-hidden-')));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ['a**b', ['ab', 'ax/yb', 'ax/yb2/b/c']],
  ['**d', ['ax/d/e', 'd']],
  ['ax/**', ['ax/d/e', 'ax/yb', 'ax/yb2/b/c']],
  ['b', ['ax/yb2/b/c', 'b']],
  ['/b', ['b']],
  ['[b]', ['[b]']],
])('the files of %s, also where ripgrep reads the glob in another way', async (glob, files) => {
  for (const path of ['ab', 'ax/yb', 'ax/yb2/b/c', 'ax/d/e', 'b', 'd', '[b]', 'other']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  expect((await findHidden(root, [glob])).map((path) => relative(root, path))).toEqual(files.toSorted());
});
