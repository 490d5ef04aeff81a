import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ExecResult } from '@klaus/core/agent';
import { describeMissingNetwork } from './offline.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-test-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const place = { sandbox: { name: 'bubblewrap' as const }, workspace: { root } };
const failed: ExecResult = {
  exitCode: 1,
  signal: null,
  stdout: '',
  stderr: '',
  output: '',
  truncated: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  unenforced: [],
};
const describe = (text: string, network = false) =>
  describeMissingNetwork(place, { command: './build', network, result: failed, text });

test('a command that failed for want of a network is told how to have it, and what downloads', () => {
  expect(describe('error: 1 test failed')).toEqual([]);
  expect(describe('getaddrinfo EAI_AGAIN registry.npmjs.org', true)).toEqual([]);
  const bare = describe('getaddrinfo EAI_AGAIN registry.npmjs.org').join();
  expect(bare).toContain('network: true; the user');
  writeFileSync(join(root, 'go.mod'), '');
  expect(describe('module lookup disabled by GOPROXY=off').join()).toContain('with this alone: go mod download;');
  // Which of two is missing is not known.
  writeFileSync(join(root, 'Cargo.toml'), '');
  expect(describe('module lookup disabled by GOPROXY=off').join()).toBe(bare);
});
