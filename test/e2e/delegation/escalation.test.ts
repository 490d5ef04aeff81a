// Covers core/agent/children, core/policy/grant: what a user approves for an agent beyond what its parent may delegate.
import { afterEach, expect, test, vi } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import {
  answer,
  childrenOf,
  countSessions,
  createTeam,
  endsOf,
  lead,
  pause,
  read,
  spawn,
  toAgent,
  toLead,
  wait,
  write,
} from './team.fixture.ts';

const HOUR_MS = 3_600_000;
const WRITER = toAgent('writer', { grants: ['fs(., rw) tool(*)'] });
const MIDDLE = toLead('middle', ['writer'], { grants: ['fs(., r) spawn(1, 4) tool(*) delegable: fs(., r) tool(*)'] });

afterEach(() => {
  vi.useRealTimers();
});

test('a wider request asks the user, and a refusal opens nothing (naive: the agent opens with less)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: { lead: [[spawn('writer')], 'Done.'] },
  });
  const { session, advanced, events } = await lead(team, { onAsk: 'wait' });
  expect(advanced.state).toBe('parked');
  const [asked] = ofType(events, 'approval.asked');
  expect(asked).toMatchObject({ title: expect.stringMatching(/\bwriter\b/), subject: { name: 'spawn_agent' } });
  expect(asked!.reason).toMatch(/\bwriter\b.*fs\(.*, rw\)/);
  expect(asked!.subject).not.toHaveProperty('remember');
  expect(await countSessions(team)).toBe(1);
  const refused = await answer(team, session.id, 'rejected');
  expect(endsOf(refused.events)).toEqual(['spawn_agent denied']);
  expect(childrenOf(refused.events)).toEqual([]);
  expect(await countSessions(team)).toBe(1);
});

test('the question of a child names its chain, and its approval is bound to it (naive: it names the asking session)', async () => {
  await using team = await createTeam({
    agents: [WRITER, MIDDLE, toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[write('w.txt')], 'Done.'],
    },
  });
  const { session, advanced, events } = await lead(team, { onAsk: 'wait' });
  const [middle] = childrenOf(events);
  const asked = advanced.state === 'parked' ? advanced.approvals : [];
  expect(asked).toMatchObject([
    {
      session: middle,
      reason: expect.stringMatching(/\bwriter\b.*fs\(.*, rw\)/),
      chain: [
        { session: session.id, agent: 'lead' },
        { session: middle, agent: 'middle' },
      ],
    },
  ]);
  await answer(team, session.id, 'approved');
  const [opened] = ofType(await team.events(middle!), 'child.opened');
  expect(opened!.grant.authorities).not.toContainEqual(
    expect.objectContaining({ rights: expect.stringContaining('w') }),
  );
  expect(opened!.escalation).toMatchObject({
    chain: [session.id, middle, opened!.child],
    authorities: [{ kind: 'fs', rights: 'rw' }],
  });
  expect(endsOf(await team.events(opened!.child))).toEqual(['write_file ok']);
});

test('what was approved ends after one hour (naive: an approval lasts as long as the session)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer')], [wait()], 'Done.'],
      writer: [[write('first.txt')], [pause], [write('second.txt')], 'Done.'],
    },
    onPause: async () => vi.setSystemTime(Date.now() + HOUR_MS),
  });
  const { session } = await lead(team, { onAsk: 'wait' });
  const { advanced, events } = await answer(team, session.id, 'approved');
  const [opened] = ofType(events, 'child.opened');
  const { expiresAt } = opened!.escalation!;
  expect(expiresAt).toBeLessThanOrEqual(opened!.at + HOUR_MS);
  expect(expiresAt).toBeGreaterThan(opened!.at + HOUR_MS / 2);
  expect(endsOf(await team.events(opened!.child))).toEqual(['write_file ok']);
  // The second file needs another approval.
  expect(advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
});

test('what was approved cannot be delegated (naive: an agent delegates what it holds)', async () => {
  const middle = toLead('middle', ['writer'], {
    grants: ['fs(., rw) spawn(1, 4) tool(*) delegable: fs(., rw) spawn(1, 4) tool(*)'],
  });
  await using team = await createTeam({
    agents: [WRITER, middle, toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[write('m.txt')], [spawn('writer')], [spawn('writer', { narrow: true })], [wait()], 'Done.'],
      writer: [[write('w.txt')], 'Done.'],
    },
  });
  const { session } = await lead(team, { onAsk: 'wait' });
  const { advanced, events } = await answer(team, session.id, 'approved');
  const [child] = childrenOf(events);
  expect(endsOf(await team.events(child!))).toEqual(['write_file ok']);
  expect(advanced).toMatchObject({
    state: 'parked',
    approvals: [{ session: child, subject: { name: 'spawn_agent' } }],
  });
  // A narrow request is not asked about: the file is.
  const narrow = await answer(team, session.id, 'rejected');
  expect(narrow.advanced).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
  const below = await team.events(child!);
  expect(endsOf(below)).toEqual(['write_file ok', 'spawn_agent denied', 'spawn_agent ok']);
  const [opened] = ofType(below, 'child.opened');
  expect(opened!.grant.authorities).not.toContainEqual(expect.objectContaining({ rights: 'rw' }));
});

test('what was approved for a child can be revoked (naive: only what it opened with can)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [[spawn('writer', { narrow: true })], [wait()], 'Done.'],
      writer: [[write('same.txt')], [pause], [write('same.txt')], [read], 'Done.'],
    },
    onPause: ({ klaus }, session) => klaus.handle(session).revoke(['fs(., w)'], { by: 'test' }),
  });
  const { session, advanced } = await lead(team, { onAsk: 'wait' });
  const asked = advanced.state === 'parked' ? advanced.approvals[0]! : undefined;
  await team.klaus.answer(asked!.approval, 'approved', { by: 'test', scope: 'session' });
  const again = await session.advance();
  expect(again).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'write_file' } }] });
  const { events } = await answer(team, session.id, 'rejected');
  const own = await team.events(childrenOf(events)[0]!);
  expect(ofType(own, 'grant.changed')).toHaveLength(1);
  expect(endsOf(own)).toEqual(['write_file ok', 'write_file denied', 'read_file ok']);
});

test('an approval for the session of a child covers no sibling of the same agent (naive: approvals apply to agents)', async () => {
  await using team = await createTeam({
    agents: [WRITER, toLead('lead', ['writer'])],
    scripts: {
      lead: [
        [spawn('writer', { narrow: true })],
        [wait({ keep: true })],
        [spawn('writer', { narrow: true })],
        [wait()],
        'Done.',
      ],
      writer: [[write('same.txt')], [write('same.txt')], 'Done.'],
    },
  });
  const { session, advanced } = await lead(team, { onAsk: 'wait' });
  const asked = advanced.state === 'parked' ? advanced.approvals[0]! : undefined;
  expect(asked!.subject).toMatchObject({ escalation: { authorities: [{ kind: 'fs', rights: 'w' }] } });
  await team.klaus.answer(asked!.approval, 'approved', { by: 'test', scope: 'session' });
  const again = await session.advance();
  const [first, second] = childrenOf(await team.events(session.id));
  const own = await team.events(first!);
  expect(ofType(own, 'grant.escalated')).toMatchObject([{ chain: [session.id, first], by: 'test' }]);
  expect(endsOf(own)).toEqual(['write_file ok', 'write_file ok']);
  expect(again).toMatchObject({ state: 'parked', approvals: [{ session: second, subject: { name: 'write_file' } }] });
});
