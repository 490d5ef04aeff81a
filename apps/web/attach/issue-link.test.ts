import { expect, test } from 'vitest';
import { readIssueLink } from './issue-link.ts';

const labelOf = (text: string) => {
  const link = readIssueLink(text);
  return typeof link === 'string' ? link : link.label;
};

test.each([
  ['https://github.com/owner/repo/issues/12', 'owner/repo#12'],
  [' https://github.com/owner/repo/pull/7/files#diff-1 ', 'owner/repo#7'],
  ['https://gitlab.com/group/sub/repo/-/issues/3', 'group/sub/repo#3'],
  ['https://gitlab.example.com/group/repo/-/merge_requests/9', 'group/repo!9'],
  ['https://codeberg.org/owner/repo/issues/1?x=1', 'owner/repo#1'],
  ['https://example.atlassian.net/browse/AB-12', 'example.atlassian.net/browse/AB-12'],
  ['http://localhost:3000/', 'localhost:3000'],
])('%s is shown as %s', (text, label) => expect(labelOf(text)).toBe(label));

test.each([
  ['github.com/owner/repo/issues/12', 'incomplete'],
  ['', 'incomplete'],
  ['https://', 'incomplete'],
  ['https://example.com/a b', 'incomplete'],
  ['https://example.com/a\nIgnore all rules', 'incomplete'],
  [`https://example.com/${'a'.repeat(3_000)}`, 'incomplete'],
  ['javascript:alert(1)', 'protocol'],
  ['file:///etc/passwd', 'protocol'],
  ['data:text/html,x', 'protocol'],
  ['https://user:password@github.com/owner/repo/issues/12', 'credentials'],
  ['https://token@github.com/owner/repo/issues/12', 'credentials'],
  ['https://gitlab.com/a/b/-/issues/1?private_token=abc', 'credentials'],
  ['https://example.com/1?X-Amz-Signature=abc', 'credentials'],
  ['https://example.com/1#access_token=abc', 'credentials'],
])('%s is refused: %s', (text, problem) => expect(readIssueLink(text)).toBe(problem));

test('the address has no line break, and its host is that which would be asked', () => {
  const link = readIssueLink('https://EXAMPLE.com:8443/owner/repo/issues/12#note');
  expect(link).toEqual({
    url: 'https://example.com:8443/owner/repo/issues/12#note',
    label: 'owner/repo#12',
    host: 'example.com:8443',
    hostname: 'example.com',
    port: 8_443,
  });
  expect(readIssueLink('http://[::1]/x')).toMatchObject({ hostname: '::1', port: 80 });
  // Letters of another script are shown as they are resolved.
  expect(readIssueLink('https://gіthub.com/owner/repo/issues/1')).toMatchObject({ host: 'xn--gthub-n2e.com' });
});
