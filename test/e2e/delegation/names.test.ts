// Covers core/agent/children, core/protocol/agents: which agents a session may give tasks.
import { expect, test } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import {
  childrenOf,
  countSessions,
  createTeam,
  DELEGATES_ALL,
  endsOf,
  lead,
  spawn,
  toAgent,
  toLead,
  wait,
  type Call,
} from './team.fixture.ts';

const WORKER = toAgent('worker');

test('allowedAgents "*" gives no authority (naive: a name on the list may be started)', async () => {
  const talker = toAgent('lead', { grants: ['fs(., r) tool(*)'], allowedAgents: ['*'] });
  await using team = await createTeam({
    agents: [WORKER, talker],
    scripts: { lead: [[spawn('worker')], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(team.toolsOf('lead')).not.toContain('spawn_agent');
  expect(endsOf(events)).toEqual(['spawn_agent error denied']);
  expect(await countSessions(team)).toBe(1);
});

test('allowedAgents "*" widens nothing that is delegated (naive: a trusted agent is not asked about)', async () => {
  const writer = toAgent('writer', { grants: ['fs(., rw) tool(*)'] });
  await using team = await createTeam({
    agents: [writer, toLead('lead', ['*'])],
    scripts: { lead: [[spawn('writer')], 'Done.'] },
  });
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual(['spawn_agent denied']);
  expect(await countSessions(team)).toBe(1);
});

test.each<[string, string[] | undefined]>([
  ['without allowedAgents a definition allows none (naive: absent means every one)', undefined],
  ['an empty allowedAgents allows none (naive: empty means unlimited)', []],
  ['only the names on the list are allowed (naive: a prefix is enough)', ['work', 'worker-2']],
])('%s', async (_, allowedAgents) => {
  const { allowedAgents: __, ...rest } = toLead('lead', []);
  await using team = await createTeam({
    agents: [WORKER, toAgent('worker-2'), allowedAgents ? { ...rest, allowedAgents } : rest],
    scripts: { lead: [[spawn('worker')], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(events)).toEqual(['spawn_agent error usage']);
  expect(await countSessions(team)).toBe(1);
});

test('the list of a child does not add to that of its parent (naive: the lists of the chain are joined)', async () => {
  await using team = await createTeam({
    agents: [WORKER, toLead('middle', []), toLead('lead', ['middle', 'worker'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[spawn('worker')], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['spawn_agent error usage']);
  expect(await countSessions(team)).toBe(2);
});

test('an agent cannot start itself (naive: it is on its list)', async () => {
  await using team = await createTeam({
    agents: [toLead('lead', ['lead'])],
    scripts: { lead: [[spawn('lead')], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(events)).toEqual(['spawn_agent error usage']);
  expect(ofType(events, 'tool.finished')[0]!.output).toMatch(/lead → lead/);
  expect(await countSessions(team)).toBe(1);
});

test('a circle of agents is refused where it closes (naive: only the direct parent is compared)', async () => {
  await using team = await createTeam({
    agents: [toLead('middle', ['lead']), toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[spawn('lead')], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const below = await team.events(childrenOf(events)[0]!);
  expect(endsOf(below)).toEqual(['spawn_agent error usage']);
  expect(ofType(below, 'tool.finished')[0]!.output).toMatch(/lead → middle → lead/);
  expect(await countSessions(team)).toBe(2);
});

test.each<[string, Call, string, RegExp]>([
  [
    'an unknown name is refused with the nearest one (naive: the nearest one is started)',
    spawn('wroker'),
    'usage',
    /\bworker\b/,
  ],
  ['a path is no name (naive: it is appended to the folder)', spawn('../agents/worker'), 'tool.input', /\bagent: /],
  ['a reserved name is no agent (naive: it is looked up)', spawn('klaus'), 'tool.input', /\bagent: /],
  [
    'a name of an inherited property is no agent (naive: objects are looked up by name)',
    spawn('constructor'),
    'usage',
    /constructor/,
  ],
  [
    'an empty task is refused (naive: the agent starts and asks)',
    spawn('worker', { task: '' }),
    'tool.input',
    /\btask: /,
  ],
  ['an unknown field is refused (naive: it is ignored)', spawn('worker', { grant: 'exec' }), 'tool.input', /\bgrant\b/],
])('%s', async (_, call, code, output) => {
  await using team = await createTeam({
    agents: [WORKER, toLead('lead', ['*'])],
    scripts: { lead: [[call], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(events)).toEqual([`spawn_agent error ${code}`]);
  expect(ofType(events, 'tool.finished')[0]!.output).toMatch(output);
  expect(childrenOf(events)).toEqual([]);
  expect(await countSessions(team)).toBe(1);
});
