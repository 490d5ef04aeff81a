// Covers apps/server/http/error-statuses.ts, adapters/mcp, sdk/workspace: what fails outside of the server is no 5xx.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import type { Problem } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { startTestServer } from '../fixtures/server.ts';

async function refused(work: Promise<unknown>): Promise<Pick<Problem, 'status' | 'code'>> {
  const error = await work.then(
    () => new Error('It was not refused.'),
    (failed: unknown) => failed,
  );
  if (!isProblemError(error)) throw error;
  const { status, code } = error.problem;
  return { status, code };
}

test('an MCP server that does not start, ends or cannot be reached', { timeout: 60_000 }, async () => {
  // No keyring: the address of its bus does not exist.
  const env = { KLAUS_SANDBOX: 'host', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  await using it = await startTestServer({ env });
  const servers = {
    missing: { command: 'no-such-program' },
    ended: { command: 'false' },
    garbage: { command: 'echo', args: ['no message'] },
    closed: { url: 'http://127.0.0.1:1/mcp' },
    unknown: { url: 'http://host.invalid/mcp' },
  };
  for (const [name, server] of Object.entries(servers)) {
    await it.client.addMcpServer({ body: { name, from: 'project', server } });
    const params = { name };
    const ofServer = { status: 424, code: 'mcp.failed' };
    expect(await refused(it.client.testMcpServer({ params })), name).toEqual(ofServer);
    expect(await refused(it.client.reviewMcpServer({ params })), name).toEqual(ofServer);
  }
});

test('a repository that Git cannot read', { timeout: 60_000 }, async () => {
  await using it = await startTestServer();
  const ofGit = { status: 424, code: 'tool.failed' };
  writeFileSync(join(it.place.workspace, '.git/index'), 'no index');
  expect(await refused(it.client.gitDiff({ query: {} }))).toEqual(ofGit);
  writeFileSync(join(it.place.workspace, '.git/HEAD'), 'no reference');
  expect(await refused(it.client.gitDiff({ query: {} }))).toEqual(ofGit);
  expect(await refused(it.client.gitCommits({ query: {} }))).toEqual(ofGit);
});
