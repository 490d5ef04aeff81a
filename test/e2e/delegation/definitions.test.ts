// Covers sdk/open, core/agent/children, sdk/agents: definitions that change, disappear or cannot be read.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import {
  answer,
  childrenOf,
  countSessions,
  createTeam,
  DELEGATES_ALL,
  endsOf,
  lead,
  message,
  pause,
  read,
  spawn,
  toAgent,
  toLead,
  wait,
  write,
  type Team,
} from './team.fixture.ts';

const READER = toAgent('reader');
const WIDENED = { ...READER, grants: ['fs(., rw) tool(*)'], systemPrompt: 'You are READER. You write.' };
const RUN = { name: 'run_command', input: { command: 'echo ran' } };

const exists = (team: Team, path: string): boolean => existsSync(join(team.place.workspace, path));
const toFile = (team: Team, name: string): string => join(team.place.home, 'agents', `${name}.md`);

test('an open child continues with what it opened with (naive: its definition is read again)', async () => {
  await using team = await createTeam({
    agents: [READER, toLead('lead', ['reader'])],
    scripts: {
      lead: [[spawn('reader')], [wait()], 'Done.'],
      reader: [[RUN], [write('w.txt')], [read], 'Done.'],
    },
  });
  const { session, events } = await lead(team, { grant: DELEGATES_ALL, onAsk: 'wait' });
  await team.klaus.agents().save(WIDENED, { replace: true });
  await team.reopen();
  const { advanced } = await answer(team, session.id, 'rejected');
  expect(advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
  await answer(team, session.id, 'rejected');
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own)).toEqual(['run_command denied', 'write_file denied', 'read_file ok']);
  expect(ofType(own, 'session.opened')).toHaveLength(1);
  expect(exists(team, 'w.txt')).toBe(false);
});

test('a definition that changes between its record and its opening opens nothing (naive: the file at the opening counts)', async () => {
  await using team = await createTeam({
    agents: [READER, toLead('lead', ['reader'])],
    scripts: {
      lead: [[spawn('reader')], [spawn('reader')], [wait()], 'Done.'],
      reader: [[write('w.txt')], 'Done.'],
    },
  });
  const text = `---\nname: reader\ndescription: Changed.\ngrants: ["fs(., rw) tool(*)"]\n---\n\nYou are READER.\n`;
  let changes = 1;
  const { session, events } = await lead(team, {
    grant: DELEGATES_ALL,
    onEvent: ({ type }) => {
      if (type === 'child.opened' && changes-- > 0) writeFileSync(toFile(team, 'reader'), text);
    },
  });
  expect(endsOf(events)).toEqual(['spawn_agent error workspace.conflict', 'spawn_agent ok', 'wait_agents ok']);
  const [first, second] = childrenOf(events);
  expect(ofType(events, 'child.closed')[0]).toMatchObject({ child: first, usd: 0, turns: 0, toolCalls: 0 });
  expect(await team.klaus.store.session(first!)).toBeUndefined();
  expect(await team.klaus.store.inbox(first!)).toEqual([]);
  expect(await countSessions(team)).toBe(2);
  // What was reserved for it has returned, and the second one has the authority of the new definition.
  const { budget = [] } = await team.klaus.usage({ session: session.id });
  expect(budget.map(({ lent }) => lent)).toEqual([0, 0]);
  expect(endsOf(await team.events(second!))).toEqual(['write_file ok']);
});

test('an approval covers the definition that was asked about (naive: the answer counts for the name)', async () => {
  await using team = await createTeam({
    agents: [toAgent('writer', { grants: ['fs(., rw) tool(*)'] }), toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer')], 'Done.'] },
  });
  const { session } = await lead(team, {
    onAsk: 'wait',
    grant: 'fs(., rwx) exec spawn(1, 4) tool(*) delegable: fs(., r) tool(*)',
  });
  const wider = toAgent('writer', { grants: ['fs(., rwx) exec tool(*)'] });
  await team.klaus.agents().save(wider, { replace: true });
  const again = await answer(team, session.id, 'approved');
  expect(again.advanced).toMatchObject({ state: 'parked', approvals: [{ reason: expect.stringMatching(/\bexec\b/) }] });
  expect(childrenOf(again.events)).toEqual([]);
  const refused = await answer(team, session.id, 'rejected');
  expect(endsOf(refused.events)).toEqual(['spawn_agent denied']);
  expect(await countSessions(team)).toBe(1);
});

test('a deleted agent works to its end, and cannot be started again (naive: it is read with every task)', async () => {
  await using team = await createTeam({
    agents: [READER, toLead('lead', ['reader'])],
    scripts: {
      lead: [[spawn('reader')], [wait({ keep: true })], [message('reader')], [wait()], [spawn('reader')], 'Done.'],
      reader: [[pause], [read], 'First.', [read], 'Second.'],
    },
    onPause: ({ klaus }) => klaus.agents().remove('reader'),
  });
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual([
    'spawn_agent ok',
    'wait_agents ok',
    'message_agent ok',
    'wait_agents ok',
    'spawn_agent error usage',
  ]);
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['read_file ok', 'read_file ok']);
  expect(await countSessions(team)).toBe(2);
});

test('a renamed agent is another one (naive: a list of names follows the file)', async () => {
  await using team = await createTeam({
    agents: [READER, toLead('lead', ['reader'])],
    scripts: {
      lead: [
        [spawn('reader')],
        [wait({ keep: true })],
        [message('reader')],
        [wait()],
        [spawn('reader')],
        [spawn('reader-2')],
        'Done.',
      ],
      reader: [[pause], 'First.', [read], 'Second.'],
    },
    onPause: async () => {
      renameSync(toFile(team, 'reader'), toFile(team, 'reader-2'));
      writeFileSync(toFile(team, 'reader-2'), '---\nname: reader-2\ndescription: Renamed.\n---\n\nYou are READER.\n');
    },
  });
  const { events } = await lead(team);
  expect(endsOf(events).slice(2)).toEqual([
    'message_agent ok',
    'wait_agents ok',
    'spawn_agent error usage',
    'spawn_agent error usage',
  ]);
  expect(ofType(events, 'tool.finished').at(-2)!.output).toMatch(/\breader-2\b/);
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['read_file ok']);
  expect(await countSessions(team)).toBe(2);
});

test.each([
  ['front matter that is no YAML', '---\nname: broken\ndescription: [\n---\n\nYou are BROKEN.\n'],
  ['a file without front matter', 'You are BROKEN.\n'],
  ['an unknown field', '---\nname: broken\ndescription: Broken.\nspawns: 9\n---\n\nYou are BROKEN.\n'],
])('%s is no agent, and its reason is reported (naive: what can be read is used)', async (_, text) => {
  await using team = await createTeam({
    agents: [READER, toLead('lead', ['*'])],
    scripts: { lead: [[spawn('broken')], [spawn('reader')], [wait()], 'Done.'], reader: ['Done.'] },
  });
  writeFileSync(toFile(team, 'broken'), text);
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual(['spawn_agent error usage', 'spawn_agent ok', 'wait_agents ok']);
  expect(ofType(events, 'tool.finished')[0]!.output).toMatch(/\/broken\.md:\d+:/);
  expect(childrenOf(events)).toHaveLength(1);
});

test.each([
  ['an unknown capability', 'capabilities: [file-operation]', 'config'],
  ['a grant that cannot be read', 'grants: ["fs(., rq)"]', 'usage'],
])('a definition with %s opens nothing (naive: the rest of its authority is used)', async (_, line, code) => {
  await using team = await createTeam({
    agents: [toLead('lead', ['*'])],
    scripts: { lead: [[spawn('odd', { narrow: true })], 'Done.'] },
  });
  writeFileSync(toFile(team, 'odd'), `---\nname: odd\ndescription: Odd.\n${line}\n---\n\nYou are ODD.\n`);
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual([`spawn_agent error ${code}`]);
  expect(await countSessions(team)).toBe(1);
});

test('among 10,000 definitions one is found (naive: the first ones are read)', { tags: ['long'] }, async () => {
  await using team = await createTeam({
    agents: [toLead('lead', ['worker-9999'])],
    scripts: { lead: [[spawn('worker-9999')], [wait()], 'Done.'], 'worker-9999': ['Done.'] },
  });
  const folder = join(team.place.workspace, '.klaus/agents');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 10_000; at++) {
    const name = `worker-${at}`;
    const head = `name: ${name}\ndescription: Works.\ngrants: ["fs(., r) tool(*)"]`;
    writeFileSync(join(folder, `${name}.md`), `---\n${head}\n---\n\nYou are ${name.toUpperCase()}.\n`);
  }
  expect((await team.klaus.agents().list()).agents.length).toBeGreaterThan(10_000);
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual(['spawn_agent ok', 'wait_agents ok']);
});
