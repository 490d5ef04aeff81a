import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ExecResult } from '@klaus/core/agent';
import { findMissingNetwork } from './offline.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-test-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const context = { sandbox: { name: 'bubblewrap' as const }, workspace: { root } };
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
  findMissingNetwork(context, { command: './build', network, result: failed, text })?.hint ?? '';

test('a command that failed without a network gets a hint, with the command that downloads', () => {
  expect(describe('error: 1 test failed')).toBe('');
  expect(describe('getaddrinfo EAI_AGAIN registry.npmjs.org', true)).toBe('');
  const bare = describe('getaddrinfo EAI_AGAIN registry.npmjs.org');
  expect(bare).toContain('network: true;');
  writeFileSync(join(root, 'go.mod'), '');
  expect(describe('module lookup disabled by GOPROXY=off')).toContain('go mod download;');
  // With two package managers it is unknown which one is needed.
  writeFileSync(join(root, 'Cargo.toml'), '');
  expect(describe('module lookup disabled by GOPROXY=off')).toBe(bare);
});
