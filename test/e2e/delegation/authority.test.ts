// Covers core/agent/children, core/policy/grant: the authority that an agent passes on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
  write,
  type Team,
} from './team.fixture.ts';

const WRITER = toAgent('writer', { grants: ['fs(., rw) tool(*)'] });
const exists = (team: Team, path: string): boolean => existsSync(join(team.place.workspace, path));

test('a grandchild gets what its parent may delegate (naive: what its parent holds)', async () => {
  const middle = toLead('middle', ['writer'], {
    grants: ['fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) spawn(1, 4) tool(*)'],
  });
  await using team = await createTeam({
    agents: [WRITER, middle, toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[write('middle.txt')], [spawn('writer', { narrow: true })], [wait()], 'Done.'],
      writer: [[write('writer.txt')], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const [middleId] = childrenOf(events);
  const below = await team.events(middleId!);
  expect(endsOf(below)).toEqual(['write_file ok', 'spawn_agent ok', 'wait_agents ok']);
  const [opened] = ofType(below, 'child.opened');
  const { workspace } = team.place;
  expect(opened!.grant.authorities).toContainEqual({ kind: 'fs', path: workspace, rights: 'r' });
  expect(endsOf(await team.events(opened!.child))).toEqual(['write_file denied']);
  expect([exists(team, 'middle.txt'), exists(team, 'writer.txt')]).toEqual([true, false]);
});

test('with depth 1 a child can start no agent (naive: it gets the depth that it asked for)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('middle', ['writer']), toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle', { narrow: true })], [wait()], 'Done.'],
      middle: [[spawn('writer', { narrow: true })], 'Done.'],
    },
  });
  const grant = 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., rw) spawn(1, 4) tool(*)';
  const { events } = await lead(team, { grant });
  const [child] = childrenOf(events);
  expect(team.toolsOf('lead')).toContain('spawn_agent');
  expect(team.toolsOf('middle')).not.toContain('spawn_agent');
  expect(team.toolsOf('middle')).toContain('write_file');
  expect(endsOf(await team.events(child!))).toEqual(['spawn_agent error denied']);
  expect(await countSessions(team)).toBe(2);
});

test('with count 1 a second agent is refused, also after the first was closed (naive: a closed one is given back)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer')], [spawn('writer')], [wait()], [spawn('writer')], 'Done.'],
      writer: ['Done.'],
    },
  });
  const grant = 'fs(., rw) spawn(1, 1) tool(*) delegable: fs(., rw) spawn(1, 1) tool(*)';
  const { events } = await lead(team, { grant });
  expect(endsOf(events)).toEqual([
    'spawn_agent ok',
    'spawn_agent error denied',
    'wait_agents ok',
    'spawn_agent error denied',
  ]);
  expect(childrenOf(events)).toHaveLength(1);
});

test('agents in one answer share the count (naive: each is judged against the grant alone)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer'), spawn('writer'), spawn('writer')], [wait()], 'Done.'],
      writer: ['Done.'],
    },
  });
  const grant = 'fs(., rw) spawn(1, 2) tool(*) delegable: fs(., rw) spawn(1, 2) tool(*)';
  const { events } = await lead(team, { grant });
  expect(endsOf(events).slice(0, 3)).toEqual(['spawn_agent ok', 'spawn_agent ok', 'spawn_agent error denied']);
  expect(childrenOf(events)).toHaveLength(2);
});

const CODER = toAgent('coder', { grants: ['fs(., rx) exec tool(*)'] });
const HOLDS_EXEC = 'fs(., rwx) exec spawn(1, 4) tool(*) delegable: fs(., rx) spawn(1, 4) tool(*)';
const RUN = { name: 'run_command', input: { command: 'echo ran > ran.txt' } };

test('what is held but not delegable needs the user (naive: holding is delegating)', async () => {
  await using team = await createTeam({
    agents: [CODER, toLead('lead', ['coder'], { grants: ['fs(., rwx) exec spawn(1, 4) tool(*)'] })],
    scripts: { lead: [[spawn('coder')], 'Done.'], coder: [[RUN], 'Done.'] },
  });
  const { events } = await lead(team, { grant: HOLDS_EXEC });
  expect(ofType(events, 'gate.decided')).toMatchObject([{ verdict: 'ask', rule: 'delegation' }]);
  expect(endsOf(events)).toEqual(['spawn_agent denied']);
  expect(childrenOf(events)).toEqual([]);
  expect(await countSessions(team)).toBe(1);
});

test('a narrow request leaves out what is not delegable (naive: holding is delegating)', async () => {
  await using team = await createTeam({
    agents: [CODER, toLead('lead', ['coder'], { grants: ['fs(., rwx) exec spawn(1, 4) tool(*)'] })],
    scripts: { lead: [[spawn('coder', { narrow: true })], [wait()], 'Done.'], coder: [[RUN], 'Done.'] },
  });
  const { events } = await lead(team, { grant: HOLDS_EXEC });
  const [opened] = ofType(events, 'child.opened');
  expect(opened!.grant.authorities.map(({ kind }) => kind)).toEqual(['fs', 'tool']);
  expect(team.toolsOf('coder')).not.toContain('run_command');
  expect(endsOf(await team.events(opened!.child))).toEqual(['run_command denied']);
  expect(exists(team, 'ran.txt')).toBe(false);
});

test('the grant of the user narrows what the lead can pass on (naive: the definition of the lead decides)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer')], [spawn('writer', { narrow: true })], [wait()], 'Done.'],
      writer: [[write('w.txt')], 'Done.'],
    },
  });
  const { events } = await lead(team, {
    grant: 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) tool(*) spawn(1, 4)',
  });
  expect(endsOf(events)).toEqual(['spawn_agent denied', 'spawn_agent ok', 'wait_agents ok']);
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['write_file denied']);
  expect(exists(team, 'w.txt')).toBe(false);
});

test('a grant of the user without spawn leaves no agent to start (naive: the definition of the lead decides)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer')], 'Done.'] },
  });
  const { events } = await lead(team, { grant: 'fs(., rw) tool(*) delegable: fs(., rw) tool(*)' });
  expect(team.toolsOf('lead')).not.toContain('spawn_agent');
  expect(endsOf(events)).toEqual(['spawn_agent error denied']);
  expect(await countSessions(team)).toBe(1);
});
