// Covers sdk/open, core/agent/children, core/protocol/agents: the tools and the mode of a child.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { resolveMcpServers } from '../../../core/protocol/agents/mcp-resolution.ts';
import { ofType } from '../../fixtures/engine.ts';
import {
  answer,
  childrenOf,
  countSessions,
  createTeam,
  DELEGATES_ALL,
  endsOf,
  lead,
  pause,
  read,
  spawn,
  toAgent,
  toLead,
  wait,
  write,
  type Team,
} from './team.fixture.ts';

const WRITER = toAgent('writer', { grants: ['fs(., rw) tool(*)'] });
const exists = (team: Team, path: string): boolean => existsSync(join(team.place.workspace, path));

const TICKETS = defineTool({
  name: 'tickets',
  description: 'Lists tickets.',
  input: z.strictObject({}),
  effects: [],
  resume: 'repeat',
  run: async () => ({ text: 'None.' }),
});

test('the first request of a child has the tools of its grant (naive: it has those of its parent)', async () => {
  const reader = toAgent('reader', { grants: ['fs(., rw) tool(read_file) tool(list_files)'] });
  await using team = await createTeam({
    agents: [reader, toLead('lead', ['reader'])],
    scripts: { lead: [[spawn('reader', { narrow: true })], [wait()], 'Done.'], reader: ['Done.'] },
  });
  await lead(team, { grant: DELEGATES_ALL });
  expect(team.toolsOf('lead')).toContain('write_file');
  expect(team.toolsOf('reader').toSorted()).toEqual(['list_files', 'read_file']);
});

test('a child is offered only what its parent could delegate (naive: it is offered what its definition asks for)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer', { narrow: true })], [wait()], 'Done.'], writer: ['Done.'] },
  });
  await lead(team, {
    grant: 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) tool(read_file) tool(write_file) spawn(1, 4)',
  });
  expect(team.toolsOf('writer')).toEqual(['read_file']);
});

test('an attached tool that the grant of a child does not name is denied (naive: attached tools are for all)', async () => {
  const reader = toAgent('reader', { grants: ['fs(., r) tool(read_file)'] });
  const calls = [[{ name: 'tickets', input: {} }], [read], 'Done.'];
  await using team = await createTeam({
    agents: [reader, toLead('lead', ['reader'])],
    scripts: { lead: [[{ name: 'tickets', input: {} }], [spawn('reader')], [wait()], 'Done.'], reader: calls },
  });
  team.klaus.attach([TICKETS]);
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(events)[0]).toBe('tickets ok');
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own)).toEqual(['tickets denied', 'read_file ok']);
  expect(ofType(own, 'gate.decided')[0]).toMatchObject({ verdict: 'deny', rule: 'grant' });
});

test('a tool that is attached while a child works is denied to it (naive: the registry decides)', async () => {
  const reader = toAgent('reader', { grants: ['fs(., r) tool(pause) tool(tool_search) tool(use_tool)'] });
  const use = { name: 'use_tool', input: { name: 'tickets', input: {} } };
  await using team = await createTeam({
    agents: [reader, toLead('lead', ['reader'])],
    scripts: { lead: [[spawn('reader')], [wait()], 'Done.'], reader: [[pause], [use], 'Done.'] },
    onPause: async ({ klaus }) => klaus.attach([TICKETS]),
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['tickets denied']);
});

test.each([
  ['without inheritParentMcps a child has no server of its parent', {}, []],
  ['with inheritParentMcps it has them', { inheritParentMcps: true }, ['tickets']],
  ['an empty list overrides inheritParentMcps', { inheritParentMcps: true, mcpServers: [] }, []],
])('%s (naive: a child has the servers of its parent)', (_, definition, names) => {
  const { servers } = resolveMcpServers(definition, { project: {}, parent: { tickets: 'parent' } });
  expect(Object.keys(servers)).toEqual(names);
});

test('a lead in mode plan starts no agent (naive: only the changes of the agent are judged)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer')], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL, mode: 'plan' });
  expect(team.toolsOf('lead')).not.toContain('spawn_agent');
  expect(endsOf(events)).toEqual(['spawn_agent denied']);
  expect(await countSessions(team)).toBe(1);
});

test('a child is in no wider mode than its parent (naive: its definition decides)', async () => {
  const bold = { ...WRITER, grants: ['fs(., rwx) exec tool(*)'], permissionMode: 'bypassPermissions' as const };
  const RUN = { name: 'run_command', input: { command: 'echo ran > ran.txt' } };
  const grant = 'fs(., rwx) exec spawn(1, 4) tool(*)';
  await using team = await createTeam({
    agents: [bold, toLead('lead', ['writer'], { grants: [grant] })],
    scripts: { lead: [[spawn('writer')], [wait()], 'Done.'], writer: [[write('w.txt')], [RUN], 'Done.'] },
  });
  const given = `${grant} delegable: fs(., rwx) exec spawn(1, 4) tool(*)`;
  const { session } = await lead(team, { grant: given, mode: 'edits', onAsk: 'wait' });
  const { advanced, events } = await answer(team, session.id, 'approved');
  const own = await team.events(childrenOf(events)[0]!);
  expect(ofType(own, 'session.opened')[0]!.mode).toBe('edits');
  expect(endsOf(own)).toEqual(['write_file ok']);
  expect(advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'run_command' } }] });
});

test('the definition of a child can narrow its mode (naive: a child has the mode of its parent)', async () => {
  await using team = await createTeam({
    agents: [{ ...WRITER, permissionMode: 'plan' }, toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer')], [wait()], 'Done.'], writer: [[write('w.txt')], [read], 'Done.'] },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own)).toEqual(['write_file denied', 'read_file ok']);
  expect(team.toolsOf('writer')).not.toContain('write_file');
});

test('mode plan of a parent applies to a child that works (naive: a child keeps the mode of its opening)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[write('before.txt')], [pause], [write('after.txt')], [read], 'Result.'],
    },
    async onPause({ klaus }, child) {
      const root = klaus.handle((await klaus.store.session(child))!.parent!);
      await root.send({ type: 'change', mode: 'plan' });
      await root.applyQueuedCommands();
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own)).toEqual(['write_file ok', 'write_file denied', 'read_file ok']);
  expect([exists(team, 'before.txt'), exists(team, 'after.txt')]).toEqual([true, false]);
  // The lead still gets the result.
  expect(endsOf(events)).toEqual(['spawn_agent ok', 'wait_agents ok']);
});
