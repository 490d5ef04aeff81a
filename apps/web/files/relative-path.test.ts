import { expect, test } from 'vitest';
import { toRelativePath } from './relative-path.ts';

test.each([
  ['a.png', '', 'a.png'],
  ['./a.png', 'docs', 'docs/a.png'],
  ['../a.png', 'docs/guides', 'docs/a.png'],
  ['/a.png', 'docs', 'a.png'],
  ['../../a.png', 'docs', undefined],
  ['..', '', undefined],
  ['docs/../../x', '', undefined],
])('%s in the folder %j is %s', (path, folder, result) => {
  expect(toRelativePath(path, folder)).toBe(result);
});
