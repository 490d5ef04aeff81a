// Covers sdk/mcp/session-servers.ts, sdk/open/open-as.ts: the servers of a session that another session starts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMcpConfiguration, type OpenOptions } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { toEntry } from './open-session.ts';

const agents = {
  lead: { mcpServers: ['docs'] },
  heir: { inheritProjectMcps: false, inheritParentMcps: true },
  alone: { inheritProjectMcps: false },
  named: { mcpServers: ['docs'], inheritProjectMcps: false },
  closed: { mcpServers: [], inheritParentMcps: true },
};

async function open(engine: TestEngine, options: OpenOptions): Promise<{ id: string; servers: string[] }> {
  const session = await engine.klaus.open(options);
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  return { id: session.id, servers: (opened!.mcpServers ?? []).map(({ name }) => name) };
}

async function createPlace(): Promise<TestEngine> {
  const mcpServers = { docs: toEntry(), other: toEntry() };
  const engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers }) },
    script: { steps: [] },
  });
  const mcp = openMcpConfiguration({ cwd: engine.place.workspace, env: engine.place.env });
  for (const name of Object.keys(mcpServers)) await mcp.trust(name);
  for (const [name, fields] of Object.entries(agents))
    await engine.klaus
      .agents()
      .save({ name, description: 'An agent.', grants: ['tool(*)'], systemPrompt: '', ...fields });
  return engine;
}

test.each([
  ['heir', ['docs']],
  ['alone', []],
  ['named', ['docs']],
  ['closed', []],
])('a session of the agent %s that a session starts has %s', async (agent, expected) => {
  await using engine = await createPlace();
  const lead = await open(engine, { agent: 'lead' });
  expect(lead.servers).toEqual(['docs']);
  expect((await open(engine, { agent, startedBy: lead.id })).servers).toEqual(expected);
});

test('without a parent, and in another project, nothing is inherited', async () => {
  await using engine = await createPlace();
  const lead = await open(engine, { agent: 'lead' });
  const elsewhere = join(engine.place.workspace, '../elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, '.mcp.json'), JSON.stringify({ mcpServers: { docs: toEntry('other') } }));
  expect((await open(engine, { agent: 'heir' })).servers).toEqual([]);
  expect((await open(engine, { agent: 'heir', workspace: elsewhere, startedBy: lead.id })).servers).toEqual([]);
});

test('a session below an inheriting one inherits too', async () => {
  await using engine = await createPlace();
  const lead = await open(engine, { agent: 'lead' });
  const first = await open(engine, { agent: 'heir', startedBy: lead.id });
  expect((await open(engine, { agent: 'heir', startedBy: first.id })).servers).toEqual(['docs']);
});
