// Covers core/agent/review: budgets, crashes, cancels and agents of reviewed sessions.
import type { Event, Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import {
  decisionsOf,
  edit,
  has,
  judged,
  logOf,
  openReviewed,
  reviewsOf,
  runReviewed,
  touch,
  verdict,
  type Steps,
} from '../fixtures/reviewed.ts';
import { spawn, stepsOf, WAIT } from '../fixtures/team.ts';

/** Leaves as a crash would, as soon as an event like this is durable. */
async function crashAt(session: Session, wanted: (event: Event) => boolean): Promise<void> {
  const controller = new AbortController();
  const stop = session.subscribe((await logOf(session)).at(-1)!.seq, (event) => {
    if (!wanted(event)) return;
    stop();
    controller.abort();
  });
  await session.advance({ signal: controller.signal });
}

test.each([
  ['before the verdict', 'model.requested', ['abandoned', 'ok']],
  ['after the verdict', 'model.attempted', ['ok']],
] as const)('a crash %s neither loses nor repeats a charge', async (_, type, outcomes) => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('APPROVE', 'Fine.'))],
    calls: [touch('b.txt')],
  });
  const crashed = await engine.klaus.open();
  await crashed.prompt('Make b.txt');
  await crashAt(crashed, (event) => event.type === type && event.purpose === 'review');
  expect(has(engine, 'b.txt')).toBe(false);
  await engine.reopen();
  const session = await engine.klaus.session(crashed.id);
  await session.prompt('Hurry up', { delivery: 'steer' });
  await session.advance();
  expect(has(engine, 'b.txt')).toBe(true);
  const events = await logOf(session);
  const charged = ofType(events, 'model.attempted').filter(({ purpose }) => purpose === 'review');
  expect(charged.map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(ofType(events, 'model.requested').filter(({ purpose }) => purpose === 'review')).toHaveLength(outcomes.length);
  expect(engine.server.requests.filter(({ body }) => body.includes('Hurry up'))).not.toHaveLength(0);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a review that the budget does not allow is not requested, and the call is denied', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('APPROVE', 'Fine.'))],
    calls: [touch('b.txt')],
    settings: { 'limits.tokens': 6_000, maxOutputTokens: 1_024 },
  });
  const { events } = await runReviewed(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(reviewsOf(engine)).toBe(0);
  expect(decisionsOf(events)[0]).toMatchObject({ verdict: 'deny', reviews: [{ decidedBy: 'unavailable' }] });
});

test('a request that takes too long is charged, and the call is denied', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [
      judged(verdict('APPROVE', 'Fine.'), { faults: [{ kind: 'hang', after: 0, keepAlive: false, always: true }] }),
    ],
    calls: [touch('b.txt')],
    settings: { 'reviewers.timeoutMs': 1_000 },
  });
  const { events } = await runReviewed(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(ofType(events, 'model.attempted').find(({ purpose }) => purpose === 'review')).toMatchObject({
    outcome: 'idle',
  });
  expect(outcomeOf(events)).toMatchObject({ outcome: 'denied' });
});

test('an agent adds the reviewers of its definition', async () => {
  const definition =
    '---\nname: writer\ndescription: writes\ncapabilities: file-operations\nreviewers: style-drift\n---\n';
  await using engine = await openReviewed({
    use: [],
    calls: [edit("'one'", '"one"')],
    files: { '~/.klaus/agents/writer.md': definition },
  });
  const session = await engine.klaus.open({ agent: 'writer' });
  await session.prompt('Fix the crash in a.js');
  await session.advance();
  expect(decisionsOf(await logOf(session))[0]).toMatchObject({ verdict: 'deny', rule: 'style-drift' });
});

test('an agent of another program cannot have reviewers', async () => {
  const definition =
    '---\nname: other\ndescription: is driven\nrunner: acp\ncommand: [other]\nreviewers: style-drift\n---\n';
  await using engine = await openReviewed({ use: [], calls: [], files: { '.klaus/agents/other.md': definition } });
  await expect(engine.klaus.open({ agent: 'other' })).rejects.toMatchObject({ code: 'config' });
});

test('a child session has the reviewers of its parent', async () => {
  const grant = 'fs(., rw) spawn(1, 4) tool(*)';
  const define = (name: string, more: string) =>
    `---\nname: ${name}\ndescription: works\n${more}---\nYou are ${name.toUpperCase()}.\n`;
  await using engine = await createTestEngine({
    files: {
      'a.js': "const a = 'one';\n",
      '~/.klaus/agents/lead.md': define('lead', `grants: ${grant}\nallowedAgents: [writer]\nreviewers: style-drift\n`),
      '~/.klaus/agents/writer.md': define('writer', 'grants: fs(., rw) tool(*)\n'),
    },
    script: {
      steps: [
        ...(stepsOf('lead', [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'Done.' }]) as Steps),
        ...(stepsOf('writer', [{ calls: [edit("'one'", '"one"')] }, { text: 'Left.' }]) as Steps),
      ],
      fallback: { text: 'A title' },
    },
  });
  const session = await engine.klaus.open({ agent: 'lead', grant: `${grant} delegable: ${grant}` });
  await session.prompt('Fix the crash in a.js');
  await session.advance();
  const [opened] = ofType(await logOf(session), 'child.opened');
  const child = await engine.klaus.session(opened!.child);
  expect(decisionsOf(await logOf(child))[0]!.reviews).toMatchObject([{ reviewer: 'style-drift' }]);
});

test('a cancel ends a review, and its request is charged', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [
      judged(verdict('APPROVE', 'Fine.'), { faults: [{ kind: 'hang', after: 0, keepAlive: false, always: true }] }),
    ],
    calls: [touch('b.txt')],
  });
  const session = await engine.klaus.open();
  await session.prompt('Make b.txt');
  const stop = session.subscribe(0, (event) => {
    if (event.type !== 'model.requested' || event.purpose !== 'review') return;
    stop();
    void session.send({ type: 'cancel' });
  });
  await session.advance();
  const events = await logOf(session);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'cancelled' });
  expect(decisionsOf(events)).toEqual([]);
  const charged = ofType(events, 'model.attempted').filter(({ purpose }) => purpose === 'review');
  expect(charged.map(({ outcome }) => outcome)).toEqual(['cancelled']);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
