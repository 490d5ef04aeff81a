// Covers apps/claude-code/verification: the Model Context Protocol over standard input and output, and over HTTP.
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { runKlaus, startKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { createScene } from './mcp.fixture.ts';

const TOOLS = ['check', 'commit', 'confirm', 'list_repos', 'push', 'validate_intent'];

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  test.each([
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('a %s client negotiates %s and uses the tools', async (era, version) => {
    await using scene = await createScene({ transport, era, hasKey: false });
    expect(scene.client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await scene.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.inputSchema.properties).toHaveProperty('working_dir');
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.annotations).toMatchObject({ readOnlyHint: tool.name === 'list_repos' });
    }
    const { workspace } = scene.place;
    expect(await scene.call('list_repos')).toMatchObject({
      ok: true,
      repositories: [{ path: workspace, branch: 'main' }],
    });
    expect(await scene.call('check', { working_dir: join(workspace, '..') })).toMatchObject({
      isError: true,
      code: 'workspace.outside',
    });
  });
});

test('input that does not match its schema is refused', async () => {
  await using scene = await createScene({ hasKey: false });
  const result = await scene.client.callTool({ name: 'push', arguments: { working_dir: 1, force: 'yes' } });
  expect(result.isError).toBe(true);
});

test('a field that a tool does not have is refused with the nearest name', async () => {
  await using scene = await createScene({ hasKey: false });
  const { workspace } = scene.place;
  const result = await scene.client.callTool({ name: 'push', arguments: { working_dir: workspace, brnach: 'x' } });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toMatch(/brnach\b.*\bbranch\b/);
});

test('HTTP is refused without the token, by another host name and for a foreign origin', async () => {
  using place = createTestHome();
  const running = startKlaus(['mcp', '--http'], { place, env: { KLAUS_MCP_TOKEN: 'a-token' } });
  await running.printed('stdout', '\n');
  const { url } = JSON.parse(running.text.stdout) as { url: string };
  const status = async (headers: Record<string, string>): Promise<number> => {
    const sent = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    sent.end('{}');
    const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
    answer.resume();
    return answer.statusCode;
  };
  const authorization = 'Bearer a-token';
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer b-token' })).toBe(401);
  expect(await status({ authorization, host: 'evil.example' })).toBe(403);
  expect(await status({ authorization, origin: 'https://evil.example' })).toBe(403);
  expect(await status({ authorization })).toBe(400);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
});

test('the server ends when standard input ends', async () => {
  using place = createTestHome();
  const { code, stdout } = await runKlaus(['mcp'], { place, stdin: '' });
  expect(code).toBe(0);
  expect(stdout).toBe('');
});
