import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEntries } from '../mcp/mcp-files.ts';
import { findMcpServers } from './mcp-servers.ts';

test('servers are read from a file with a byte order mark', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'klaus-mcp-'));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  writeFileSync(join(workspace, '.mcp.json'), '\uFEFF{"mcpServers":{"one":{"command":"x"}}}');
  expect(findMcpServers({}, { workspace, isTrusted: true })).toEqual({ mcpServers: ['one'] });
  expect(readEntries({ home: workspace, folder: workspace }, 'project')).toEqual({ one: { command: 'x' } });
});
