// Covers core/agent/review: reviewers of the calls of a session.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { toCountedTokens, type Event, type Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';

type Steps = Script['steps'];

const JUDGE = 'You approve or deny one tool call';
const touch = (file: string) => ({ name: 'run_command', input: { command: `touch ${file}` } });
const edit = (old: string, text: string) => ({
  name: 'edit_file',
  input: { path: 'a.js', edits: [{ old, new: text }] },
});
const verdict = (word: string, reason: string) => ({
  calls: [{ name: 'give_verdict', input: { verdict: word, reason } }],
});
const judged = (reply: Steps[number]['reply'], rest: Partial<Steps[number]> = {}): Steps[number] => ({
  when: { system: JUDGE },
  reply,
  ...rest,
});

interface Given extends Pick<TestEngineOptions, 'files' | 'settings'> {
  use: string[];
  /** Steps before those of the agent. */
  judge?: Steps;
  /** The calls of each turn. */
  calls: ReturnType<typeof touch | typeof edit>[];
  hasKey?: boolean;
}

async function open({ use, judge = [], calls, hasKey = true, files, settings }: Given): Promise<TestEngine> {
  return createTestEngine({
    files: { 'a.js': "const a = 'one';\n", ...files },
    settings: { 'reviewers.use': use, ...settings },
    ...(hasKey ? { env: (_, url) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url }) } : {}),
    script: {
      steps: [
        ...judge,
        { when: { tools: false }, reply: { text: 'A title' } },
        ...calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
        { when: { turn: calls.length }, reply: { text: 'That is all.' } },
      ],
    },
  });
}

const logOf = (session: Session): Promise<Event[]> => Array.fromAsync(session.events());

/** Runs a prompt to its end, and expects that the log can be replayed. */
async function run(engine: TestEngine, prompt: string, onAsk: 'deny' | 'wait' = 'deny') {
  const session = await engine.klaus.open();
  await session.prompt(prompt, { onAsk });
  await session.advance();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  return { session, events: await logOf(session) };
}

const reviewsOf = (engine: TestEngine): number =>
  engine.server.requests.filter(({ body }) => body.includes('give_verdict')).length;

/** The decisions about calls of the agent. */
const decisionsOf = (events: readonly Event[]) =>
  ofType(events, 'gate.decided').filter(({ call }) => !call.startsWith('checkpoint-'));

const has = (engine: TestEngine, file: string): boolean => existsSync(join(engine.place.workspace, file));

test('an edit that only changes style is denied by the rules, without a request', async () => {
  await using engine = await open({ use: ['style-drift'], calls: [edit("'one'", '"one"')] });
  const { events } = await run(engine, 'Fix the crash in a.js');
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
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'The user did not ask for b.txt.'))],
    calls: [touch('b.txt')],
  });
  const { session, events } = await run(engine, 'Fix the crash in a.js');
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
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged(verdict('APPROVE', 'Fine.'))],
    calls: [touch('b.txt'), touch('b.txt')],
  });
  const { events } = await run(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(true);
  expect(decisionsOf(events).map(({ reviews }) => reviews)).toMatchObject([
    [{ outcome: 'pass', decidedBy: 'model' }],
    [{ outcome: 'pass', decidedBy: 'model' }],
  ]);
  expect(reviewsOf(engine)).toBe(1);
});

test('an answer that is no verdict is asked for three times, then the call is denied', async () => {
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged({ text: 'Looks good to me.' })],
    calls: [touch('b.txt')],
  });
  const { events } = await run(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(reviewsOf(engine)).toBe(3);
  expect(decisionsOf(events)[0]).toMatchObject({
    verdict: 'deny',
    reviews: [{ decidedBy: 'unavailable', outcome: 'deny' }],
  });
});

test('without a key the rules apply alone, and the session says so once', async () => {
  const calls = [touch('b.txt'), touch('c.txt'), edit("'one'", '"one"')];
  await using engine = await open({ use: ['tool-approve', 'style-drift'], calls, hasKey: false });
  const { events } = await run(engine, 'Make b.txt');
  expect([has(engine, 'b.txt'), has(engine, 'c.txt')]).toEqual([true, true]);
  expect(decisionsOf(events).map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'deny']);
  expect(ofType(events, 'notice').filter(({ text }) => text.includes('reviewers'))).toHaveLength(1);
});

test('the words of the user overturn a denial', async () => {
  await using engine = await open({
    use: ['tool-approve', 'tool-appeal'],
    judge: [judged(verdict('DENY', 'It creates a file.'))],
    calls: [touch('b.txt'), touch('c.txt')],
  });
  const { events } = await run(engine, 'Please run touch b.txt');
  expect([has(engine, 'b.txt'), has(engine, 'c.txt')]).toEqual([true, false]);
  expect(decisionsOf(events)[0]!.reviews).toMatchObject([
    { reviewer: 'tool-approve', outcome: 'deny' },
    { reviewer: 'tool-appeal', outcome: 'pass', decidedBy: 'rules' },
  ]);
});

test('a third similar denial is a question to the user, whose answer counts', async () => {
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'No.'))],
    calls: [touch('b.txt'), touch('c.txt'), touch('d.txt')],
  });
  const { session, events } = await run(engine, 'Tidy up', 'wait');
  expect(decisionsOf(events).map(({ verdict }) => verdict)).toEqual(['deny', 'deny', 'ask']);
  const [question] = ofType(events, 'approval.asked');
  await engine.klaus.answer(question!.approval, 'approved');
  await session.advance();
  expect(has(engine, 'd.txt')).toBe(true);
  expect(decisionsOf(await logOf(session)).at(-1)).toMatchObject({ verdict: 'allow', rule: 'approval' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  expect(reviewsOf(engine)).toBe(3);
});

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
  await using engine = await open({
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
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged(verdict('APPROVE', 'Fine.'))],
    calls: [touch('b.txt')],
    settings: { 'limits.tokens': 6_000, maxOutputTokens: 1_024 },
  });
  const { events } = await run(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(reviewsOf(engine)).toBe(0);
  expect(decisionsOf(events)[0]).toMatchObject({ verdict: 'deny', reviews: [{ decidedBy: 'unavailable' }] });
});

test('a request that takes too long is charged, and the call is denied', async () => {
  await using engine = await open({
    use: ['tool-approve'],
    judge: [
      judged(verdict('APPROVE', 'Fine.'), { faults: [{ kind: 'hang', after: 0, keepAlive: false, always: true }] }),
    ],
    calls: [touch('b.txt')],
    settings: { 'reviewers.timeoutMs': 1_000 },
  });
  const { events } = await run(engine, 'Make b.txt');
  expect(has(engine, 'b.txt')).toBe(false);
  expect(ofType(events, 'model.attempted').find(({ purpose }) => purpose === 'review')).toMatchObject({
    outcome: 'idle',
  });
  expect(outcomeOf(events)).toMatchObject({ outcome: 'denied' });
});

test('an error that the agent ignores is asked about once', async () => {
  const fail = { name: 'run_command', input: { command: "echo 'TypeError: x is not a function'; exit 1" } };
  await using engine = await open({
    use: ['error-acknowledge'],
    judge: [{ when: { system: 'does not ignore errors' }, reply: verdict('BLOCK', 'The TypeError is ignored.') }],
    calls: [fail, touch('b.txt'), touch('c.txt')],
  });
  const { events } = await run(engine, 'Make the files');
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
  await using engine = await open({ use: ['plan-validate'], calls: [present, edit("'one'", "'two'")], hasKey: false });
  const { session, events } = await run(engine, 'Make b.txt', 'wait');
  await engine.klaus.answer(ofType(events, 'approval.asked')[0]!.approval, 'approved', { mode: 'auto' });
  await session.advance();
  expect(decisionsOf(await logOf(session)).at(-1)).toMatchObject({ verdict: 'deny', rule: 'plan-validate' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('instructions for agents are reviewed by their words', async () => {
  const write = (content: string) => ({ name: 'write_file', input: { path: 'AGENTS.md', content } }) as never;
  await using engine = await open({
    use: ['claude-md-validate'],
    calls: [write('Commit with --no-verify.\n')],
    hasKey: false,
  });
  const session = await engine.klaus.open();
  await session.prompt('Write down how we build');
  await session.advance();
  expect(decisionsOf(await logOf(session))[0]).toMatchObject({ verdict: 'deny', rule: 'claude-md-validate' });
});

test('an agent adds the reviewers of its definition', async () => {
  const definition =
    '---\nname: writer\ndescription: writes\ncapabilities: file-operations\nreviewers: style-drift\n---\n';
  await using engine = await open({
    use: [],
    calls: [edit("'one'", '"one"')],
    files: { '.klaus/agents/writer.md': definition },
  });
  const session = await engine.klaus.open({ agent: 'writer' });
  await session.prompt('Fix the crash in a.js');
  await session.advance();
  expect(decisionsOf(await logOf(session))[0]).toMatchObject({ verdict: 'deny', rule: 'style-drift' });
});

test('reading, and a command about which the user decides, is not reviewed', async () => {
  await using engine = await open({
    use: ['tool-approve'],
    judge: [judged(verdict('DENY', 'No.'))],
    calls: [{ name: 'read_file', input: { path: 'a.js' } } as never, touch('b.txt')],
    settings: { approve: 'edits' },
  });
  const { session, events } = await run(engine, 'Look at a.js', 'wait');
  await engine.klaus.answer(ofType(events, 'approval.asked')[0]!.approval, 'approved');
  await session.advance();
  expect(has(engine, 'b.txt')).toBe(true);
  expect(reviewsOf(engine)).toBe(0);
});

test('an edit that is denied is not presented to the user', async () => {
  const calls = [edit("'one'", '"one"')];
  await using engine = await open({ use: ['style-drift'], calls, settings: { approve: 'ask' } });
  const { events } = await run(engine, 'Fix the crash in a.js', 'wait');
  expect(decisionsOf(events).map(({ verdict, rule }) => [verdict, rule])).toEqual([['deny', 'style-drift']]);
  expect(ofType(events, 'approval.asked')).toEqual([]);
});

test('a cancel ends a review, and its request is charged', async () => {
  await using engine = await open({
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
