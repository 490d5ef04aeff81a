// Covers core/policy/remembered.ts, adapters/mcp: approvals for every call of one tool of an MCP server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { startHttpServer } from './http-server.ts';
import { use } from './open-session.ts';

/** Calls one tool with these inputs in a session of its own, and approves each question. Returns what was asked about. */
async function callAll(
  { klaus }: TestEngine,
  scope: Scope,
): Promise<{ asked: (string | undefined)[]; outcomes: string[] }> {
  const session = await klaus.open({ trustCommand: true });
  await session.prompt('go', { onAsk: 'wait' });
  for (let result = await session.advance(); result.state === 'parked'; result = await session.advance())
    for (const { approval } of result.approvals) await klaus.answer(approval, 'approved', { by: 'test', scope });
  const events = await Array.fromAsync(session.events());
  const asked = ofType(events, 'approval.asked').map(({ subject }) =>
    subject.kind === 'call' ? subject.remember?.tool : undefined,
  );
  return { asked, outcomes: ofType(events, 'tool.finished').map(({ outcome }) => outcome) };
}

const toConfiguration = (url: string): string =>
  JSON.stringify({ mcpServers: { web: { type: 'http', url, headers: { 'x-any': 'a' } } } });

const CALLS = ['a', 'b', 'c', 'd'].map((text) => use('mcp__web__send', { text }));

const openEngine = (url: string): Promise<TestEngine> =>
  createTestEngine({
    files: { '.mcp.json': toConfiguration(url) },
    settings: { approve: 'edits' },
    script: {
      steps: CALLS.map((call, turn) => ({ when: { turn }, reply: { calls: [JSON.parse(JSON.stringify(call))] } })),
      fallback: { text: 'Done.' },
    },
  });

const OK = ['ok', 'ok', 'ok', 'ok'];

test('an approval for the session covers each later call of the tool that asks for no further reason', async () => {
  using server = await startHttpServer();
  await using engine = await openEngine(server.url);
  expect(await callAll(engine, 'once')).toEqual({ asked: CALLS.map(() => 'mcp__web__send'), outcomes: OK });
  // After the first result, the session also asks because it has read a text of others.
  expect(await callAll(engine, 'session')).toEqual({ asked: ['mcp__web__send', 'mcp__web__send'], outcomes: OK });
});

test('an approval for the project covers the tool in each session, at this server alone', async () => {
  using server = await startHttpServer();
  using other = await startHttpServer();
  await using engine = await openEngine(server.url);
  expect((await callAll(engine, 'project')).asked).toHaveLength(2);
  expect(await callAll(engine, 'once')).toEqual({ asked: [], outcomes: OK });
  writeFileSync(join(engine.place.workspace, '.mcp.json'), toConfiguration(other.url));
  expect((await callAll(engine, 'once')).asked).toHaveLength(CALLS.length);
});
