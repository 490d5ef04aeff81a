// Covers core/agent/children, adapters/tools/agents, sdk/sessions, sdk/open: an agent gives tasks to other agents.
import type { AgentDefinition, OpenOptions } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

type Call = { name: string; input: Record<string, unknown> };
type Step = { when: Record<string, unknown>; reply: Record<string, unknown> };

const REVIEWER: AgentDefinition = {
  name: 'reviewer',
  description: 'Reviews.',
  grants: ['fs(., r) tool(read_file)'],
  systemPrompt: 'You are REVIEWER.',
};
const LEAD: AgentDefinition = {
  name: 'lead',
  description: 'Leads.',
  grants: ['fs(., rw) spawn(1, 4) tool(*)'],
  allowedAgents: ['reviewer'],
  systemPrompt: 'You are LEAD.',
};
const DELEGATES = 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) spawn(1, 4) tool(*)';

/** The steps of one agent, which its system prompt identifies. */
const stepsOf = (system: string, turns: readonly (readonly Call[] | string)[]): Step[] =>
  turns.map((turn, at) => ({
    when: { system, turn: at },
    reply: typeof turn === 'string' ? { text: turn } : { calls: turn },
  }));

const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

async function createTeam(
  steps: readonly Step[],
  definitions: readonly AgentDefinition[] = [REVIEWER, LEAD],
): Promise<TestEngine> {
  const engine = await createTestEngine({
    script: { price: PRICE, steps: steps as never },
    files: { 'a.txt': 'one\n' },
  });
  for (const definition of definitions) await engine.klaus.agents().save(definition);
  return engine;
}

async function run(engine: TestEngine, options: OpenOptions & { onAsk?: 'wait' | 'deny' } = {}) {
  const { onAsk = 'deny', ...open } = options;
  const session = await engine.klaus.open({ agent: 'lead', grant: DELEGATES, limits: { usd: 1 }, ...open });
  await session.prompt('Lead.', { onAsk });
  const advanced = await session.advance();
  return { session, advanced, events: await Array.fromAsync(session.events()) };
}

test('two agents work at the same time, and their results and costs come back', async () => {
  await using engine = await createTeam([
    ...stepsOf('LEAD', [
      [
        { name: 'spawn_agent', input: { agent: 'reviewer', task: 'Review a.' } },
        { name: 'spawn_agent', input: { agent: 'reviewer', task: 'Review b.' } },
      ],
      [{ name: 'wait_agents', input: {} }],
      'All is reviewed.',
    ]),
    ...stepsOf('REVIEWER', [[{ name: 'read_file', input: { path: 'a.txt' } }], 'Looks good.']),
  ]);
  const { session, events } = await run(engine);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  const opened = ofType(events, 'child.opened');
  expect(opened.map(({ agent, edge, limits }) => [agent, edge, limits.usd])).toEqual([
    ['reviewer', 'spawn', expect.any(Number)],
    ['reviewer', 'spawn', expect.any(Number)],
  ]);
  const finished = ofType(events, 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  expect(finished[2]!.output.match(/Looks good\./g)).toHaveLength(2);
  const closed = ofType(events, 'child.closed');
  expect(closed).toHaveLength(2);
  for (const { child, usd } of closed) {
    const row = await engine.klaus.store.session(child);
    expect(row).toMatchObject({ parent: session.id, status: 'closed' });
    expect(usd).toBeGreaterThan(0);
  }
  const { rows, budget } = await engine.klaus.usage({ session: session.id, by: 'session' });
  expect(rows).toHaveLength(3);
  const spent = rows.reduce((sum, { usd }) => sum + usd!, 0);
  expect(outcomeOf(events)!.usd).toBeCloseTo(spent, 10);
  expect(budget!.find(({ limit }) => limit === 'usd')).toMatchObject({
    lent: 0,
    reserved: 0,
    spent: expect.closeTo(spent, 10),
  });
});
