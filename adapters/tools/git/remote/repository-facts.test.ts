import { expect, test } from 'vitest';
import { toCompareAddress } from './repository-facts.ts';

test.each([
  ['https://github.com/a/b.git', 'https://github.com/a/b/compare/x%2Fy?expand=1'],
  ['https://user:secret@github.com/a/b', 'https://github.com/a/b/compare/x%2Fy?expand=1'],
  ['git@github.com:a/b.git', 'https://github.com/a/b/compare/x%2Fy?expand=1'],
  [
    'ssh://git@gitlab.example.com:2222/a/sub/b.git',
    'https://gitlab.example.com/a/sub/b/-/merge_requests/new?merge_request%5Bsource_branch%5D=x%2Fy',
  ],
  ['https://example.com/a/b.git', null],
  ['/srv/repositories/b.git', null],
  ['https://github.com/a/../b.git', null],
  ['javascript:alert(1)//github.com/a/b', null],
  ['https://github.com/a/b"onload=x', null],
])('the compare address of %s', (url, address) => {
  expect(toCompareAddress(url, 'x/y')).toBe(address);
});
