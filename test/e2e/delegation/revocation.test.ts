// Covers core/agent/children, core/policy/grant: a revocation applies to the agents below a session at their next call.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
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
const LEAD = toLead('lead', ['writer', 'middle']);
const WORKS = [[write('before.txt')], [pause], [write('after.txt')], [read], 'Done.'];

const exists = (team: Team, path: string): boolean => existsSync(join(team.place.workspace, path));

/** The session that the user opened. */
async function rootOf(team: Team): Promise<string> {
  return (await team.klaus.sessions()).find(({ parent }) => !parent)!.id;
}

test('a revocation in the root applies while a child works (naive: a child has what it opened with)', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: { lead: [[spawn('writer')], [wait()], 'Done.'], writer: WORKS },
    onPause: async ({ klaus }) => klaus.handle(await rootOf(team)).revoke(['fs(., w)'], { by: 'test' }),
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own)).toEqual(['write_file ok', 'write_file denied', 'read_file ok']);
  expect([exists(team, 'before.txt'), exists(team, 'after.txt')]).toEqual([true, false]);
  // The log of the child was not changed for it.
  expect(ofType(own, 'grant.changed')).toEqual([]);
});

test('a revocation of everything leaves a child nothing (naive: a child keeps what it needs to end)', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: { lead: [[spawn('writer')], [wait()], 'Done.'], writer: WORKS },
    onPause: async ({ klaus }) => klaus.handle(await rootOf(team)).revoke([], { by: 'test' }),
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const own = await team.events(childrenOf(events)[0]!);
  expect(endsOf(own).slice(1)).toEqual(['write_file denied', 'read_file denied']);
});

test('a revocation in a child leaves its parent and its sibling as they are (naive: all have one grant)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toAgent('other', { grants: WRITER.grants! }), toLead('lead', ['writer', 'other'])],
    scripts: {
      lead: [[spawn('writer')], [wait()], [spawn('other')], [wait()], [write('lead.txt')], 'Done.'],
      writer: WORKS,
      other: [[write('other.txt')], 'Done.'],
    },
    onPause: ({ klaus }, session) => klaus.handle(session).revoke(['fs(., w)'], { by: 'test' }),
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const [first, second] = childrenOf(events);
  expect(endsOf(await team.events(first!))).toEqual(['write_file ok', 'write_file denied', 'read_file ok']);
  expect(endsOf(await team.events(second!))).toEqual(['write_file ok']);
  expect(exists(team, 'lead.txt')).toBe(true);
});

test('a revocation in the middle applies below it, not beside it (naive: only the root is read)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('middle', ['writer']), LEAD],
    scripts: {
      lead: [[spawn('middle')], [wait()], [write('lead.txt')], 'Done.'],
      middle: [[spawn('writer')], [wait()], 'Done.'],
      writer: WORKS,
    },
    onPause: async ({ klaus }) => {
      const all = await klaus.sessions();
      const root = all.find(({ parent }) => !parent)!;
      const middle = all.find(({ parent }) => parent === root.id)!;
      await klaus.handle(middle.id).revoke(['fs(., w)'], { by: 'test' });
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const below = await team.events(childrenOf(events)[0]!);
  const own = await team.events(childrenOf(below)[0]!);
  expect(endsOf(own)).toEqual(['write_file ok', 'write_file denied', 'read_file ok']);
  expect(exists(team, 'lead.txt')).toBe(true);
});

test('without spawn a lead starts no further agent but gets the results (naive: its agents are closed)', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer')], [pause], [spawn('writer')], [wait()], 'Done.'],
      writer: ['Result.'],
    },
    onPause: ({ klaus }, session) => klaus.handle(session).revoke(['spawn'], { by: 'test' }),
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(events)).toEqual(['spawn_agent ok', 'spawn_agent error denied', 'wait_agents ok']);
  expect(ofType(events, 'tool.finished').at(-1)!.output).toContain('Result.');
  expect(await countSessions(team)).toBe(2);
});

test('an approval given after a revocation above is asked again (naive: the answer counts)', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer', { narrow: true })], [wait()], 'Done.'],
      writer: [[write('w.txt')], 'Done.'],
    },
  });
  const { session } = await lead(team, { onAsk: 'wait' });
  await session.revoke(['fs(., w)'], { by: 'test' });
  const again = await answer(team, session.id, 'approved');
  expect(again.advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
  expect(exists(team, 'w.txt')).toBe(false);
});

test('another process finds the same authority, also after a revocation (naive: it is kept in memory)', async () => {
  const RUN = { name: 'run_command', input: { command: 'echo ran' } };
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[RUN], [write('w.txt')], [read], 'Done.'],
    },
  });
  const grantOf = async (session: string): Promise<string> =>
    (await team.klaus.explain('read_file a.txt', { session })).grant;
  const { session, events } = await lead(team, { grant: DELEGATES_ALL, onAsk: 'wait' });
  const [child] = childrenOf(events);
  const before = await grantOf(child!);
  await team.reopen();
  expect(await grantOf(child!)).toBe(before);
  await team.klaus.handle(session.id).revoke(['fs(., w)'], { by: 'test' });
  const after = await grantOf(child!);
  expect(after).not.toBe(before);
  await team.reopen();
  expect(await grantOf(child!)).toBe(after);
  const { advanced } = await answer(team, session.id, 'rejected');
  expect(advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
  await answer(team, session.id, 'rejected');
  expect(endsOf(await team.events(child!))).toEqual(['run_command denied', 'write_file denied', 'read_file ok']);
});

test('a run continues after another process held its session while it waited for a child (naive: it ends as busy)', async () => {
  const release: (() => Promise<void>)[] = [];
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: { lead: [[spawn('writer')], [wait()], [write('lead.txt')], [read], 'Done.'], writer: WORKS },
    async onPause({ klaus }, session) {
      const root = await rootOf(team);
      const store = createSqliteStore({ home: team.place.home });
      const lease = (await store.claim(root))!;
      klaus.handle(session).subscribe(0, ({ type }) => void (type === 'run.finished' && release.pop()?.()));
      release.push(async () => {
        await lease.release();
        store[Symbol.dispose]();
      });
      expect(await klaus.handle(root).revoke(['fs(., w)'], { by: 'test' })).toMatchObject({ applied: false });
    },
  });
  const { advanced, events } = await lead(team, { grant: DELEGATES_ALL });
  expect(advanced).toMatchObject({ state: 'idle', finished: { outcome: 'denied' } });
  expect(ofType(events, 'grant.changed')).toHaveLength(1);
  expect(endsOf(events)).toEqual(['spawn_agent ok', 'wait_agents ok', 'write_file denied', 'read_file ok']);
});
