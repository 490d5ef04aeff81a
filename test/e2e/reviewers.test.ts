// Covers core/agent/review: what reviewers decide about the calls of a session.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCountedTokens } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
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
} from '../fixtures/reviewed.ts';

test('an edit that only changes style is denied by the rules, without a request', async () => {
  await using engine = await openReviewed({ use: ['style-drift'], calls: [edit("'one'", '"one"')] });
  const { events } = await runReviewed(engine, 'Fix the crash in a.js');
  expect(readFileSync(join(engine.place.workspace, 'a.js'), 'utf8')).toBe("const a = 'one';\n");
  expect(decisionsOf(events)[0]).toMatchObject({
    verdict: 'deny',
    rule: 'style-drift',
    reviews: [{ reviewer: 'style-drift', outcome: 'deny', decidedBy: 'rules' }],
  });
  expect(ofType(events, 'tool.finished')[0]).toMatchObject({ outcome: 'denied' });
  expect(reviewsOf(engine)).toBe(0);
});

test('a command that the model denies does not run, and the agent gets the reason', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'The user did not ask for b.txt.'))],
    calls: [touch('b.txt')],
  });
  const { session, events } = await runReviewed(engine, 'Fix the crash in a.js');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(ofType(events, 'tool.finished')[0]).toMatchObject({ outcome: 'denied' });
  expect(ofType(events, 'tool.finished')[0]!.output).toContain('The user did not ask for b.txt');
  const [asked] = ofType(events, 'model.requested').filter(({ purpose }) => purpose === 'review');
  const [answered] = ofType(events, 'model.attempted').filter(({ purpose }) => purpose === 'review');
  expect(asked!.reserved.tokens).toBeGreaterThan(toCountedTokens(answered!.usage));
  expect(answered).toMatchObject({ outcome: 'ok', review: { reviewer: 'tool-approve', outcome: 'deny' } });
  expect(answered!.usd).toBeGreaterThan(0);
  const { rows } = await engine.klaus.usage({ session: session.id, by: 'model' });
  const usage = rows.find(({ key }) => key === asked!.model);
  expect(usage!.usd).toBeCloseTo(answered!.usd!);
});

test('a call that the model approves runs; the same call is not judged again', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('APPROVE', 'Fine.'))],
    calls: [touch('b.txt'), touch('b.txt')],
  });
  const { events } = await runReviewed(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(true);
  expect(decisionsOf(events).map(({ reviews }) => reviews)).toMatchObject([
    [{ outcome: 'pass', decidedBy: 'model' }],
    [{ outcome: 'pass', decidedBy: 'model' }],
  ]);
  expect(reviewsOf(engine)).toBe(1);
});

test('an answer that is no verdict is asked for three times, then the call is denied', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged({ text: 'Looks good to me.' })],
    calls: [touch('b.txt')],
  });
  const { events } = await runReviewed(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(reviewsOf(engine)).toBe(3);
  expect(decisionsOf(events)[0]).toMatchObject({
    verdict: 'deny',
    reviews: [{ decidedBy: 'unavailable', outcome: 'deny' }],
  });
});

test('without a key the rules apply alone, and the session says so once', async () => {
  const calls = [touch('b.txt'), touch('c.txt'), edit("'one'", '"one"')];
  await using engine = await openReviewed({ use: ['tool-approve', 'style-drift'], calls, hasKey: false });
  const { events } = await runReviewed(engine, 'Make b.txt');
  expect([has(engine, 'b.txt'), has(engine, 'c.txt')]).toEqual([true, true]);
  expect(decisionsOf(events).map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'deny']);
  expect(ofType(events, 'notice').filter(({ text }) => text.includes('reviewers'))).toHaveLength(1);
});

test('the words of the user overturn a denial', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve', 'tool-appeal'],
    judge: [judged(verdict('DENY', 'It creates a file.'))],
    calls: [touch('b.txt'), touch('c.txt')],
  });
  const { events } = await runReviewed(engine, 'Please run touch b.txt');
  expect([has(engine, 'b.txt'), has(engine, 'c.txt')]).toEqual([true, false]);
  expect(decisionsOf(events)[0]!.reviews).toMatchObject([
    { reviewer: 'tool-approve', outcome: 'deny' },
    { reviewer: 'tool-appeal', outcome: 'pass', decidedBy: 'rules' },
  ]);
});

test('a third similar denial is a question to the user, whose answer counts', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'No.'))],
    calls: [touch('b.txt'), touch('c.txt'), touch('d.txt')],
  });
  const { session, events } = await runReviewed(engine, 'Tidy up', 'wait');
  expect(decisionsOf(events).map(({ verdict }) => verdict)).toEqual(['deny', 'deny', 'ask']);
  const [question] = ofType(events, 'approval.asked');
  await engine.klaus.answer(question!.approval, 'approved');
  await session.advance();
  expect(has(engine, 'd.txt')).toBe(true);
  expect(decisionsOf(await logOf(session)).at(-1)).toMatchObject({ verdict: 'allow', rule: 'approval' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  expect(reviewsOf(engine)).toBe(3);
});

test('an error that the agent ignores is asked about once', async () => {
  const fail = { name: 'run_command', input: { command: "echo 'TypeError: x is not a function'; exit 1" } };
  await using engine = await openReviewed({
    use: ['error-acknowledge'],
    judge: [{ when: { system: 'does not ignore errors' }, reply: verdict('BLOCK', 'The TypeError is ignored.') }],
    calls: [fail, touch('b.txt'), touch('c.txt')],
  });
  const { events } = await runReviewed(engine, 'Make the files');
  expect(decisionsOf(events).map(({ verdict, rule }) => [verdict, rule])).toMatchObject([
    ['allow', 'grant'],
    ['deny', 'error-acknowledge'],
    ['allow', 'grant'],
  ]);
  expect([has(engine, 'b.txt'), has(engine, 'c.txt')]).toEqual([false, true]);
  expect(reviewsOf(engine)).toBe(1);
});

test('an edit outside the plan that the user accepted is denied', async () => {
  const plan = '1. Write `b.txt`.\n2. Do not change `a.js`.\n';
  const present = { name: 'use_tool', input: { name: 'present_plan', input: { plan } } } as never;
  await using engine = await openReviewed({
    use: ['plan-validate'],
    calls: [present, edit("'one'", "'two'")],
    hasKey: false,
  });
  const { session, events } = await runReviewed(engine, 'Make b.txt', 'wait');
  await engine.klaus.answer(ofType(events, 'approval.asked')[0]!.approval, 'approved', { mode: 'auto' });
  await session.advance();
  expect(decisionsOf(await logOf(session)).at(-1)).toMatchObject({ verdict: 'deny', rule: 'plan-validate' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('instructions for agents are reviewed by their words', async () => {
  const write = (content: string) => ({ name: 'write_file', input: { path: 'AGENTS.md', content } }) as never;
  await using engine = await openReviewed({
    use: ['claude-md-validate'],
    calls: [write('Commit with --no-verify.\n')],
    hasKey: false,
  });
  const session = await engine.klaus.open();
  await session.prompt('Write down how we build');
  await session.advance();
  expect(decisionsOf(await logOf(session))[0]).toMatchObject({ verdict: 'deny', rule: 'claude-md-validate' });
});

test('reading, and a command about which the user decides, is not reviewed', async () => {
  await using engine = await openReviewed({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'No.'))],
    calls: [{ name: 'read_file', input: { path: 'a.js' } } as never, touch('b.txt')],
    settings: { approve: 'edits' },
  });
  const { session, events } = await runReviewed(engine, 'Look at a.js', 'wait');
  await engine.klaus.answer(ofType(events, 'approval.asked')[0]!.approval, 'approved');
  await session.advance();
  expect(has(engine, 'b.txt')).toBe(true);
  expect(reviewsOf(engine)).toBe(0);
});

test('an edit that is denied is not presented to the user', async () => {
  const calls = [edit("'one'", '"one"')];
  await using engine = await openReviewed({ use: ['style-drift'], calls, settings: { approve: 'ask' } });
  const { events } = await runReviewed(engine, 'Fix the crash in a.js', 'wait');
  expect(decisionsOf(events).map(({ verdict, rule }) => [verdict, rule])).toEqual([['deny', 'style-drift']]);
  expect(ofType(events, 'approval.asked')).toEqual([]);
});
