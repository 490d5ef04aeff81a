import { expect, test } from 'vitest';
import { toSafeAddress, toSafeConfiguration } from './safe-configuration.ts';

const list = (...entries: string[]): string => entries.map((entry) => `${entry}\0`).join('');

test('keys with which git runs programs are left out, and the others are kept', () => {
  const kept = toSafeConfiguration(
    list(
      'core.bare\nfalse',
      'core.fsmonitor\n/tmp/run',
      'core.hookspath\n/tmp/hooks',
      'core.sshcommand\nsh -c id',
      'alias.st\n!id',
      'filter.x.clean\nid',
      'credential.helper\n!id',
      'include.path\n/tmp/other',
      'remote.origin.url\nhttps://user:word@example.com/a.git',
      'remote.origin.uploadpack\nid',
      'remote.bad.url\next::sh -c id',
      'branch.a.b.merge\nrefs/heads/a.b',
      'user.name\nA "B" \\C',
    ),
  );
  expect(kept).toBe(
    [
      '[core]\n\tbare = "false"\n',
      '[remote "origin"]\n\turl = "https://example.com/a.git"\n',
      '[branch "a.b"]\n\tmerge = "refs/heads/a.b"\n',
      '[user]\n\tname = "A \\"B\\" \\\\C"\n',
    ].join(''),
  );
});

test.each([
  ['https://token@example.com/a', 'https://example.com/a'],
  ['ssh://git:word@example.com/a', 'ssh://git@example.com/a'],
  ['git@example.com:a/b.git', 'git@example.com:a/b.git'],
  ['../relative', '../relative'],
  ['fd::17', undefined],
])('the address %s', (given, expected) => {
  expect(toSafeAddress(given)).toBe(expected);
});
