// Covers core/agent/loop, core/agent/children, core/policy/grant: the authority of a fork in a team of agents.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ofType, outcomeOf } from '../../fixtures/engine.ts';
import {
  answer,
  childrenOf,
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

const WRITER = toAgent('writer', { grants: ['fs(., rw) tool(*)'] });
const LEAD = toLead('lead', ['writer']);
const exists = (team: Team, path: string): boolean => existsSync(join(team.place.workspace, path));

/** A lead whose child is forked while it works. The fork continues at once; @returns how its own calls ended. */
async function forkChild({
  grant = DELEGATES_ALL,
  narrow = false,
  before,
}: {
  grant?: string;
  narrow?: boolean;
  /** Between the fork and its task. */
  before?: (team: Team, ids: { root: string; child: string }) => Promise<unknown>;
}) {
  const found: { fork?: string; ends?: string[] } = {};
  const team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer', { narrow })], [wait()], 'Done.'],
      writer: [[pause], [write('fork.txt')], [read], 'Done.'],
    },
    async onPause({ klaus, events }, child) {
      const root = (await klaus.store.session(child))!.parent!;
      const { session, at } = await klaus.fork(child);
      await before?.(team, { root, child });
      await session.prompt('Continue.', { onAsk: 'deny' });
      await session.advance();
      found.fork = session.id;
      found.ends = endsOf((await events(session.id)).filter(({ seq }) => seq > at));
    },
  });
  const led = await lead(team, { grant, onAsk: 'wait' });
  return { team, led, found };
}

test('the fork of a child has the authority of the child (naive: a fork belongs to the user)', async () => {
  const { team, led, found } = await forkChild({
    grant: 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) spawn(1, 4) tool(*)',
    narrow: true,
  });
  await using _ = team;
  expect(found.ends).toEqual(['write_file denied', 'read_file ok']);
  expect(exists(team, 'fork.txt')).toBe(false);
  // It is no child of the lead.
  expect(childrenOf(led.events)).not.toContain(found.fork);
  expect(ofType(led.events, 'child.finished').map(({ child }) => child)).not.toContain(found.fork);
});

test(
  'the fork of a child has its own budget (naive: its limits are reserved in the session above)',
  { tags: ['long'] },
  async () => {
    const { team, led } = await forkChild({});
    await using _ = team;
    const { budget = [] } = await team.klaus.usage({ session: led.session.id });
    const usd = budget.find(({ limit }) => limit === 'usd')!;
    expect(usd.lent).toBe(0);
    expect(usd.spent).toBeCloseTo(outcomeOf(led.events)!.usd!, 10);
  },
);

test('a fork can do what its original can (naive: a fork has nothing)', async () => {
  const { team, found } = await forkChild({});
  await using _ = team;
  expect(found.ends).toEqual(['write_file ok', 'read_file ok']);
});

test('a fork loses what the parent of its original loses (naive: it has what it was copied with)', async () => {
  const { team, found } = await forkChild({
    before: ({ klaus }, { root }) => klaus.handle(root).revoke(['fs(., w)'], { by: 'test' }),
  });
  await using _ = team;
  expect(found.ends).toEqual(['write_file denied', 'read_file ok']);
});

test('a fork counts as one of the agents of its parent (naive: a fork is free)', async () => {
  const { team, found } = await forkChild({
    grant: 'fs(., rw) spawn(1, 1) tool(*) delegable: fs(., rw) spawn(1, 1) tool(*)',
  });
  await using _ = team;
  expect(found.ends).toEqual(['write_file denied', 'read_file denied']);
});

test('a fork does not get what a user approved for its original (naive: the record is copied)', async () => {
  const ends: string[][] = [];
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[write('first.txt')], [pause], [write('second.txt')], 'Done.'],
    },
    async onPause({ klaus }, child) {
      const { session, at } = await klaus.fork(child);
      await session.prompt('Continue.', { onAsk: 'deny' });
      await session.advance();
      ends.push(endsOf((await team.events(session.id)).filter(({ seq }) => seq > at)));
    },
  });
  const { session } = await lead(team, { onAsk: 'wait' });
  const { events } = await answer(team, session.id, 'approved');
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['write_file ok', 'write_file ok']);
  expect(ends).toEqual([['write_file denied']]);
});

test('a fork at an earlier event has no more than its original has now (naive: the event decides)', async () => {
  let pauses = 0;
  const ends: string[] = [];
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[pause], [pause], [write('w.txt')], 'Done.'],
    },
    async onPause({ klaus, events }, child) {
      pauses++;
      if (pauses === 1) await klaus.handle(child).revoke(['fs(., w)'], { by: 'test' });
      if (pauses !== 2) return;
      const before = ofType(await events(child), 'grant.changed')[0]!.seq - 1;
      const { session, at } = await klaus.fork(child, { at: before });
      await session.prompt('Continue.', { onAsk: 'deny' });
      await session.advance();
      ends.push(...endsOf((await events(session.id)).filter(({ seq }) => seq > at)));
    },
  });
  await lead(team, { grant: DELEGATES_ALL });
  expect(ends).toEqual(['write_file denied']);
  expect(exists(team, 'w.txt')).toBe(false);
});

test('the fork of a closed child has nothing (naive: it has what it was copied with)', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: ['First.', [write('w.txt')], [read], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const [child] = childrenOf(events);
  await expect(team.klaus.fork(child!)).rejects.toMatchObject({ code: 'usage' });
  const own = await team.events(child!);
  const { session } = await team.klaus.fork(child!, { at: ofType(own, 'run.finished')[0]!.seq });
  await session.prompt('Continue.');
  await session.advance();
  expect(endsOf(await team.events(session.id))).toEqual(['write_file denied', 'read_file denied']);
});

test('the fork of a parent has none of its children, and starts its own (naive: the record is copied)', async () => {
  const found: { fork?: string } = {};
  await using team = await createTeam({
    agents: [toAgent('reader'), WRITER, toLead('lead', ['reader', 'writer'])],
    scripts: {
      lead: [
        [spawn('reader')],
        [pause],
        [message('reader'), { name: 'list_children', input: {} }],
        [spawn('writer')],
        [spawn('reader')],
        [wait()],
        'Done.',
      ],
      reader: ['Read.', 'Read again.'],
      writer: [[write('w.txt')], 'Done.'],
    },
    async onPause({ klaus }, session) {
      const fork = await klaus.fork(session);
      found.fork = fork.session.id;
      await fork.session.prompt('Continue.', { onAsk: 'deny' });
      await fork.session.advance();
    },
  });
  const { events } = await lead(team);
  const own = await team.events(found.fork!);
  const after = own.filter(({ seq }) => seq > ofType(own, 'session.opened')[0]!.forked!.seq);
  expect(endsOf(after)).toEqual([
    'message_agent error usage',
    'list_children ok',
    // It may delegate as little as its original.
    'spawn_agent denied',
    'spawn_agent ok',
    'wait_agents ok',
  ]);
  const [first] = childrenOf(events);
  expect(ofType(after, 'tool.finished').some(({ output }) => output.includes(first!))).toBe(false);
  const children = childrenOf(after);
  expect(children).toHaveLength(1);
  expect(await team.klaus.store.session(children[0]!)).toMatchObject({ parent: found.fork, status: 'closed' });
  expect(endsOf(events)[1]).toBe('message_agent ok');
});
