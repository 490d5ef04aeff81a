// Covers core/agent/children, core/policy/grant: what a log may say about the authority of its own session.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import type { EventOf } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import { createTeam, DELEGATES_ALL, endsOf, read, toAgent, toLead, write, type Team } from './team.fixture.ts';

const CHILD = '01JCHRD0000000000000000000';
const OTHER = '01JCHRD0000000000000000001';

async function createScene(): Promise<{ team: Team; root: string; opened: EventOf<'session.opened'> }> {
  const team = await createTeam({
    agents: [toAgent('writer', { grants: ['fs(., rw) tool(*)'] }), toLead('lead', ['writer'])],
    scripts: { writer: [[write('w.txt')], [read], 'Done.'] },
  });
  const root = (await team.klaus.open({ agent: 'lead', grant: DELEGATES_ALL })).id;
  const writer = await team.klaus.open({ agent: 'writer' });
  const [opened] = ofType(await team.events(writer.id), 'session.opened');
  return { team, root, opened: opened! };
}

/** Appends events to a log, as only Klaus itself does. */
async function append({ place }: Team, session: string, bodies: readonly object[]): Promise<void> {
  using store = createSqliteStore({ home: place.home });
  const lease = (await store.claim(session))!;
  const at = Date.now();
  await store.append(
    session,
    bodies.map((body) => ({ at, ...body }) as never),
    { lease },
  );
  await lease.release();
}

/** The opening of a child with all authority of its agent. */
function toOpened(opened: EventOf<'session.opened'>, parent: string): object {
  const { v: _v, seq: _seq, prev: _prev, session: _session, at: _at, ...body } = opened;
  return { ...body, parent: { session: parent, call: 'call_0_0' } };
}

function toRecord(opened: EventOf<'session.opened'>, more: object = {}): object {
  const { grant, limits } = opened;
  const head = { run: 'run', turn: 1, call: 'call_0_0', definition: '0'.repeat(64) };
  return { type: 'child.opened', ...head, child: CHILD, agent: 'writer', edge: 'spawn', grant, limits, ...more };
}

/** How the calls of the child end. */
async function work(team: Team): Promise<string[]> {
  const session = team.klaus.handle(CHILD);
  await session.prompt('Work.');
  await session.advance();
  return endsOf(await team.events(CHILD));
}

const exists = (team: Team): boolean => existsSync(join(team.place.workspace, 'w.txt'));

test('a child that its parent recorded has the recorded authority (naive: a written log is never valid)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  await append(team, root, [toRecord(opened)]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file ok', 'read_file ok']);
});

test("a child that its parent never recorded may do nothing (naive: the child's own log decides)", async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file denied']);
  expect(exists(team)).toBe(false);
});

test("a wider grant in the child's log does not count (naive: the child's own log decides)", async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  const { workspace } = team.place;
  const grant = {
    authorities: [
      { kind: 'fs', path: workspace, rights: 'r' },
      { kind: 'tool', name: '*' },
    ],
  };
  await append(team, root, [toRecord(opened, { grant })]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file ok']);
  expect(exists(team)).toBe(false);
});

test('a record gives no more than the parent may delegate (naive: the log of the parent decides)', async () => {
  const { team, opened } = await createScene();
  await using _ = team;
  const narrow = 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) spawn(1, 4) tool(*)';
  const root = (await team.klaus.open({ agent: 'lead', grant: narrow })).id;
  await append(team, root, [toRecord(opened)]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file ok']);
});

test('an approval for another chain gives nothing (naive: any approval in the log counts)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  const authorities = [{ kind: 'fs', path: team.place.workspace, rights: 'rw' }];
  const none = { authorities: [{ kind: 'tool', name: '*' }] };
  const expiresAt = Date.now() + 1_000_000;
  await append(team, root, [
    toRecord(opened, { grant: none, escalation: { chain: [root, OTHER], authorities, expiresAt } }),
  ]);
  const escalated = {
    type: 'grant.escalated',
    run: 'run',
    approval: OTHER,
    chain: [CHILD],
    authorities,
    expiresAt,
    by: 'x',
  };
  await append(team, CHILD, [toOpened(opened, root), escalated]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file denied']);
});

test.each<[string, (root: string) => [child: string, other: string]]>([
  ['a session is its own parent', () => [CHILD, CHILD]],
  ['two sessions name each other', () => [OTHER, CHILD]],
  ['the parent does not exist', () => [OTHER, '']],
  ['the root of the chain has no log', () => [OTHER, OTHER.replace(/1$/, '2')]],
])(
  'when %s, the child may do nothing (naive: the chain ends at the first session without facts)',
  async (_, toParents) => {
    const { team, root, opened } = await createScene();
    await using __ = team;
    const [parent, above] = toParents(root);
    if (above !== '' && parent !== CHILD) {
      await append(team, OTHER, [toOpened(opened, above), toRecord(opened)]);
    }
    await append(team, CHILD, [toOpened(opened, parent)]);
    expect(await work(team)).toEqual(['write_file denied', 'read_file denied']);
    expect(exists(team)).toBe(false);
  },
);

test('the record of a worker gives what the user gave it, not what it says (naive: the record decides)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  await append(team, root, [toRecord(opened, { edge: 'invoke' })]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file denied']);
});

test('a child loses what its parent may not delegate any more (naive: its parent still holds it)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  const { grant } = ofType(await team.events(root), 'session.opened')[0]!;
  const delegable = [
    { kind: 'fs', path: team.place.workspace, rights: 'r' },
    { kind: 'tool', name: '*' },
  ];
  const changed = { type: 'grant.changed', grant: { ...grant, delegable }, reason: 'Less.', by: 'test' };
  await append(team, root, [toRecord(opened), changed]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file ok']);
});

test('a child that was closed may do nothing more (naive: it keeps its authority until its log is closed)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const closed = { type: 'child.closed', child: CHILD, agent: 'writer', usage, usd: 0, turns: 0, toolCalls: 0 };
  await append(team, root, [toRecord(opened), closed]);
  await append(team, CHILD, [toOpened(opened, root)]);
  expect(await work(team)).toEqual(['write_file denied', 'read_file denied']);
});

test('the logs in these tests are valid (naive: they are refused before the gate reads them)', async () => {
  const { team, root, opened } = await createScene();
  await using _ = team;
  await append(team, root, [toRecord(opened)]);
  await append(team, CHILD, [toOpened(opened, root)]);
  for (const id of [root, CHILD]) expect(await team.klaus.store.verify(id)).toMatchObject({ intact: true });
});
