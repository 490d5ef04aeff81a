// Covers adapters/mcp, core/agent/calls: servers that hang, and calls that are cancelled or time out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMcpConfiguration } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { runCalls, toEntry, use } from './open-session.ts';

test('a server that is silent when it starts is an error after the time to start', async () => {
  using place = createTestHome();
  const mcp = openMcpConfiguration({ cwd: place.workspace, env: { ...place.env, KLAUS_SANDBOX: 'host' } });
  await mcp.add('one', toEntry('silent'), 'project');
  const { signal } = new AbortController();
  await expect(mcp.test('one', { signal, startMs: 300 })).rejects.toMatchObject({ code: 'mcp.failed' });
});

/** The methods of the notifications and requests that the server got. */
const methodsOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { method?: string }).method ?? '');

test('a call that times out is cancelled at the server, and the next one works', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const file = join(place.workspace, 'messages');
  await using run = await runCalls(
    { one: toEntry('plain', file) },
    [use('mcp__one__wait'), use('mcp__one__echo', { text: 'x' })],
    { settings: { 'sandbox.timeoutMs': 1_000 }, user: 'yes' },
  );
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'mcp.failed' } }, { outcome: 'ok' }]);
  expect(methodsOf(file)).toContain('notifications/cancelled');
  expect(await run.session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a cancel of the session cancels the call at the server', async () => {
  using place = createTestHome();
  const file = join(place.workspace, 'messages');
  await using engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: { one: toEntry('plain', file) } }) },
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'use_tool', input: { name: 'mcp__one__wait', input: {} } }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const session = await engine.klaus.open({ trustCommand: true });
  await session.prompt('go');
  const running = session.advance();
  await untilFile(file, (text) => text.includes('"tools/call"'));
  await session.send({ type: 'cancel', reason: 'enough' });
  await running;
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'cancelled' }]);
  expect(ofType(events, 'run.finished')).toMatchObject([{ outcome: 'cancelled' }]);
  expect(methodsOf(file)).toContain('notifications/cancelled');
});

test('structured content that does not match the schema of the server is an error, and others work', async () => {
  const calls = [use('mcp__one__mismatch'), use('mcp__one__echo', { text: 'x' })];
  await using run = await runCalls({ one: toEntry() }, calls, { user: 'yes' });
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'mcp.failed' } }, { outcome: 'ok' }]);
});

test('of 10,000 tools a part is used, and a list of tools without end is an end', { tags: ['long'] }, async () => {
  const calls = [
    use('mcp__many__echo', { text: 'x' }),
    use('mcp__many__tool_9999', { text: 'x' }),
    use('mcp__circle__echo', { text: 'x' }),
    use('mcp__good__echo', { text: 'x' }),
  ];
  // Without a sandbox, a call of one server after a text of another one asks.
  const servers = { many: toEntry('thousands'), circle: toEntry('circle'), good: toEntry() };
  await using run = await runCalls(servers, calls, { user: 'yes' });
  const [first, last, circle, good] = run.results;
  expect(first).toMatchObject({ outcome: 'ok' });
  expect(last).toMatchObject({ outcome: 'error', detail: { code: 'tool.unknown' } });
  expect(circle).toMatchObject({ outcome: 'ok' });
  expect(good).toMatchObject({ outcome: 'ok' });
});
