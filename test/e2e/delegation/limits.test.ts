// Covers core/agent/children, core/agent/budget: the limits that an agent passes on.
import { expect, test } from 'vitest';
import { ofType, outcomeOf } from '../../fixtures/engine.ts';
import {
  childrenOf,
  countSessions,
  createTeam,
  DELEGATES_ALL,
  endsOf,
  lead,
  read,
  spawn,
  toAgent,
  toLead,
  wait,
} from './team.fixture.ts';

const READER = toAgent('reader');
const LEAD = toLead('lead', ['reader', 'middle']);

test('a child gets no more than what is left (naive: it gets what its call asks for)', async () => {
  await using team = await createTeam({
    agents: [READER, LEAD],
    scripts: {
      lead: [[spawn('reader', { budget: { usd: 50, tokens: 1e9, turns: 100, tool_calls: 100 } })], [wait()], 'Done.'],
      reader: ['Done.'],
    },
  });
  const limits = { usd: 1, tokens: 90_000, turns: 9, toolCalls: 9 };
  const { events } = await lead(team, { limits });
  const [opened] = ofType(events, 'child.opened');
  for (const name of ['usd', 'tokens', 'turns', 'toolCalls'] as const) {
    expect(opened!.limits[name]).toBeGreaterThan(0);
    expect(opened!.limits[name]).toBeLessThanOrEqual(limits[name]);
  }
  expect(opened!.limits.turns).toBe(8);
  const [own] = ofType(await team.events(opened!.child), 'session.opened');
  expect(own!.limits).toEqual(opened!.limits);
});

test('children share what is left (naive: each is compared with the limit)', async () => {
  await using team = await createTeam({
    agents: [READER, LEAD],
    scripts: {
      lead: [[spawn('reader', { budget: { usd: 0.6 } }), spawn('reader', { budget: { usd: 0.6 } })], [wait()], 'Done.'],
      reader: ['Done.'],
    },
  });
  const { session, events } = await lead(team, { limits: { usd: 1, tokens: 0, turns: 0, toolCalls: 0 } });
  const [first, second] = ofType(events, 'child.opened');
  expect(first!.limits.usd).toBe(0.6);
  expect(second!.limits.usd).toBeLessThan(0.4);
  // The lead cannot pay for its next request, and the children are closed with it.
  expect(outcomeOf(events)!.outcome).toBe('limit');
  expect(ofType(events, 'child.closed').map(({ child }) => child)).toEqual(childrenOf(events));
  const { budget = [] } = await team.klaus.usage({ session: session.id });
  expect(budget.map(({ lent }) => lent)).toEqual([0, 0]);
});

test('a parent with nothing left starts no agent (naive: the smallest part is given)', async () => {
  await using team = await createTeam({
    agents: [READER, LEAD],
    scripts: { lead: [[spawn('reader')], 'Done.'] },
  });
  const { events } = await lead(team, { limits: { usd: 0, tokens: 0, turns: 1, toolCalls: 0 } });
  expect(endsOf(events)).toEqual(['spawn_agent error limit']);
  expect(childrenOf(events)).toEqual([]);
  expect(await countSessions(team)).toBe(1);
});

test('a grandchild gets a part of what its parent has left (naive: the limits of the root apply)', async () => {
  await using team = await createTeam({
    agents: [READER, toLead('middle', ['reader']), LEAD],
    scripts: {
      lead: [[spawn('middle', { budget: { turns: 5 } })], [wait()], 'Done.'],
      middle: [[spawn('reader', { budget: { turns: 50 } })], 'Done.'],
      reader: ['Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL, limits: { usd: 0, tokens: 0, turns: 20, toolCalls: 0 } });
  const below = await team.events(childrenOf(events)[0]!);
  expect(ofType(below, 'child.opened')[0]!.limits.turns).toBe(4);
});

test('without a limit in the root, that of the definition applies (naive: unlimited is passed on)', async () => {
  await using team = await createTeam({
    agents: [{ ...READER, maxTurns: 2 }, LEAD],
    scripts: { lead: [[spawn('reader')], [wait()], 'Done.'], reader: [[read], [read], [read], 'Done.'] },
  });
  const { events } = await lead(team, { limits: { usd: 0, tokens: 0, turns: 0, toolCalls: 0 } });
  const own = await team.events(childrenOf(events)[0]!);
  expect(outcomeOf(own)).toMatchObject({ outcome: 'limit', limit: { limit: 'turns', cap: 2 } });
  expect(ofType(events, 'child.closed')).toMatchObject([{ turns: 2 }]);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
});

test('what a closed child did not use returns (naive: what was reserved is spent)', async () => {
  await using team = await createTeam({
    agents: [READER, LEAD],
    scripts: {
      lead: [
        [spawn('reader', { budget: { turns: 7 } })],
        [wait()],
        [spawn('reader', { budget: { turns: 7 } })],
        [wait()],
        'Done.',
      ],
      reader: ['Done.'],
    },
  });
  const { events } = await lead(team, { limits: { usd: 0, tokens: 0, turns: 14, toolCalls: 0 } });
  expect(ofType(events, 'child.opened').map(({ limits }) => limits.turns)).toEqual([7, 7]);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
});

test.each<[string, object]>([
  ['a negative amount', { usd: -1 }],
  ['zero, which means unlimited', { turns: 0 }],
  ['a part of a call', { tool_calls: 1.5 }],
])('a budget with %s is refused (naive: it is rounded)', async (_, budget) => {
  await using team = await createTeam({
    agents: [READER, LEAD],
    scripts: { lead: [[spawn('reader', { budget })], 'Done.'] },
  });
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual(['spawn_agent error tool.input']);
  expect(await countSessions(team)).toBe(1);
});
