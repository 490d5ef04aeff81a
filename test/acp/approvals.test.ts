// Covers apps/acp/session: approvals that the editor and other clients answer.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { spawn, stepsOf, TEAM_FILES, TEAM_GRANT, WAIT, WRITER_STEPS } from '../fixtures/team.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startEditor } from './editor.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const ASK = ['--approve', 'ask'];

/** @param count How many files are written, one in each turn. */
const writes = (count: number): Script => ({
  steps: Array.from({ length: count }, (_, turn) => ({
    when: { turn },
    reply: { calls: [{ name: 'write_file', input: { path: `${turn}.txt`, content: 'x\n' } }] },
  })),
  fallback: { text: 'Done.' },
});

const has = (place: TestHome, path: string): boolean => existsSync(join(place.workspace, path));

async function answersOf(place: TestHome, session: string) {
  const { stdout } = await runKlaus(['show', session, '--json'], { place });
  return toEvents(stdout).flatMap((event) =>
    event.type === 'approval.answered' ? [{ answer: event.answer, scope: event.scope }] : [],
  );
}

test('allow once, reject, and allow in the session', async () => {
  using place = createTestHome();
  const edit = (turn: number) => ({
    when: { turn },
    reply: {
      calls: [
        { name: 'edit_file', input: { path: 'README.md', edits: [{ old: 'Test', new: `Test ${turn}`, all: true }] } },
      ],
    },
  });
  await using server = await startServer({ steps: [edit(0), edit(1), edit(2), edit(3)], fallback: { text: 'Done.' } });
  await using editor = await startEditor({ place, server, words: ASK });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  const first = await editor.untilAsked(0);
  expect(first.params).toMatchObject({
    sessionId,
    toolCall: { toolCallId: 'call_0_0', kind: 'edit', status: 'pending' },
    options: [
      { optionId: 'once', kind: 'allow_once' },
      { optionId: 'session', kind: 'allow_always' },
      { optionId: 'project', kind: 'allow_always' },
      { optionId: 'reject', kind: 'reject_once' },
    ],
  });
  expect(first.params.toolCall.content).toContainEqual({
    type: 'diff',
    path: join(place.workspace, 'README.md'),
    oldText: '# Test\n',
    newText: '# Test 0\n',
  });
  first.choose('once');
  (await editor.untilAsked(1)).choose('reject');
  (await editor.untilAsked(2)).choose('session');
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  // The fourth edit is covered by the third answer.
  expect(editor.asked).toHaveLength(3);
  expect(await answersOf(place, sessionId)).toEqual([
    { answer: 'approved', scope: undefined },
    { answer: 'rejected', scope: undefined },
    { answer: 'approved', scope: 'session' },
  ]);
  expect(readFileSync(join(place.workspace, 'README.md'), 'utf8')).toContain('Test 3');
  expect(editor.problems).toEqual([]);
});

test('an editor with forms asks for the reason of a rejection, which the model gets', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(writes(2));
  const forms: unknown[] = [];
  await using editor = await startEditor({
    place,
    server,
    words: ASK,
    capabilities: { elicitation: { form: {} } },
    fill(form) {
      forms.push(form);
      return forms.length === 1 ? { action: 'accept', content: { text: 'Use another name.' } } : { action: 'decline' };
    },
  });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  const asked = await editor.untilAsked(0);
  expect(asked.params.options.at(-1)).toMatchObject({ optionId: 'reject-reason', kind: 'reject_once' });
  asked.choose('reject-reason');
  // Who gives no reason rejects too.
  (await editor.untilAsked(1)).choose('reject-reason');
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(forms).toMatchObject([
    { mode: 'form', sessionId },
    { mode: 'form', sessionId },
  ]);
  expect(await answersOf(place, sessionId)).toMatchObject([{ answer: 'rejected' }, { answer: 'rejected' }]);
  expect(JSON.stringify(server.requests.at(-1)?.json)).toContain('Use another name.');
  expect([has(place, '0.txt'), has(place, '1.txt')]).toEqual([false, false]);
  expect(editor.problems).toEqual([]);
});

test(
  'an approval that `klaus approve` answers ends the question, and the turn continues here',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(writes(1));
    await using editor = await startEditor({ place, server, words: ASK });
    const { sessionId } = await editor.open();
    const prompted = editor.prompt(sessionId, 'write');
    const asked = await editor.untilAsked();
    const { stdout } = await runKlaus(['approvals', '--json'], { place });
    const { id } = JSON.parse(stdout) as { id: string };
    expect((await runKlaus(['approve', id], { place, server })).code).toBe(0);
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
    expect(asked.signal.aborted).toBe(true);
    expect(has(place, '0.txt')).toBe(true);
    // A late answer changes nothing.
    asked.choose('reject');
    expect(await editor.prompt(sessionId, 'more')).toMatchObject({ stopReason: 'end_turn' });
    expect(await answersOf(place, sessionId)).toEqual([{ answer: 'approved', scope: undefined }]);
    expect(editor.problems).toEqual([]);
  },
);

test('a dismissed question cancels the run; without a valid answer nothing runs', async () => {
  using place = createTestHome();
  await using server = await startServer(writes(1));
  await using editor = await startEditor({ place, server, words: ASK });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  (await editor.untilAsked()).respond({ outcome: { outcome: 'cancelled' } });
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect(has(place, '0.txt')).toBe(false);
  const answers: ((at: number) => Promise<void>)[] = [
    async (at) => (await editor.untilAsked(at)).fail(),
    async (at) => (await editor.untilAsked(at)).choose('no-such-option'),
  ];
  for (const [at, answer] of answers.entries()) {
    const other = await editor.open();
    const second = editor.prompt(other.sessionId, 'write');
    await answer(at + 1);
    expect(await second).toMatchObject({ stopReason: 'end_turn' });
    expect(await answersOf(place, other.sessionId)).toEqual([{ answer: 'rejected', scope: undefined }]);
  }
  expect(has(place, '0.txt')).toBe(false);
});

test('a cancel ends the run and its questions', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(writes(1));
  await using editor = await startEditor({ place, server, words: ASK });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  const asked = await editor.untilAsked();
  await editor.agent.notify('session/cancel', { sessionId });
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect(asked.signal.aborted).toBe(true);
  expect(has(place, '0.txt')).toBe(false);
  expect(JSON.parse(`[${(await runKlaus(['approvals', '--json'], { place })).stdout.trim()}]`)).toEqual([]);
});

test(
  'a question that was open when the session was closed is asked again when it is loaded',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(writes(1));
    await using first = await startEditor({ place, server, words: ASK });
    const { sessionId } = await first.open();
    const prompted = first.prompt(sessionId, 'write').catch(() => undefined);
    await first.untilAsked();
    expect(await first.end()).toBe(0);
    await prompted;
    await using second = await startEditor({ place, server, words: ASK });
    await second.agent.request('session/load', { sessionId, cwd: place.workspace, mcpServers: [] });
    (await second.untilAsked()).choose('once');
    await second.untilUpdate('agent_message_chunk');
    expect(second.text()).toContain('Done.');
    expect(has(place, '0.txt')).toBe(true);
  },
);

test('a plan is accepted in the editor, with the mode in which the session continues', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'present_plan', input: { plan: '# Plan\n\n1. Write.' } }] } },
      { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: '0.txt', content: 'x\n' } }] } },
    ],
    fallback: { text: 'Done.' },
  });
  await using editor = await startEditor({ place, server, words: ['--approve', 'plan'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'plan it');
  const asked = await editor.untilAsked();
  expect(asked.params.toolCall).toMatchObject({ kind: 'switch_mode' });
  expect(JSON.stringify(asked.params.toolCall.content)).toContain('1. Write.');
  asked.choose('auto');
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(await editor.untilUpdate('current_mode_update')).toMatchObject({ currentModeId: 'auto' });
  expect(has(place, '0.txt')).toBe(true);
  expect(editor.problems).toEqual([]);
});

test('a limit is a question, and ends the turn if it is not raised', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(writes(5));
  await using editor = await startEditor({ place, server, words: ['--max-turns', '2'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  (await editor.untilAsked(0)).choose('once');
  (await editor.untilAsked(1)).choose('reject');
  expect(await prompted).toMatchObject({ stopReason: 'max_turn_requests' });
  expect(editor.problems).toEqual([]);
});

test('at a server, the editor and the page answer the same questions', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(writes(2));
  const serve = await startServeProcess(place, server);
  const env = { KLAUS_HOME: `${place.home}-elsewhere`, KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' };
  await using editor = await startEditor({ place, server, env, words: ['--server', serve.url, ...ASK] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  (await editor.untilAsked(0)).choose('once');
  await editor.untilAsked(1);
  const [open] = (await serve.client.approvals()).approvals;
  await serve.client.answer({ params: { id: open!.id }, body: { answer: 'approved' } });
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.asked[1]!.signal.aborted).toBe(true);
  expect(has(place, '1.txt')).toBe(true);
  // A prompt of the page is shown in the editor.
  await serve.client.sendPrompt({
    params: { id: sessionId },
    body: {
      command: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      parts: [{ type: 'text', text: 'from the page' }],
      delivery: 'steer',
    },
  });
  expect(await editor.untilUpdate('user_message_chunk')).toMatchObject({ content: { text: 'from the page' } });
  expect(editor.problems).toEqual([]);
  await editor.end();
  serve.process.kill('SIGTERM');
  await serve.process.ended;
});

const TEAM = {
  steps: [
    ...stepsOf('lead', [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }]),
    ...WRITER_STEPS,
  ],
};

describe.each(['the editor', 'klaus approve'])(
  'a question of an agent that the session started, answered by %s',
  (who) => {
    for (const { cases, tags } of splitCases(['on this machine', 'at a server'], 1))
      test.each(cases)('%s', { tags }, async (where) => {
        using place = createTestHome(TEAM_FILES);
        await using server = await startServer(TEAM as never);
        const serve = where === 'at a server' ? await startServeProcess(place, server) : undefined;
        const at = serve ? ['--server', serve.url] : [];
        const env: Record<string, string> = serve ? { KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' } : {};
        await using editor = await startEditor({
          place,
          server,
          env,
          words: ['--agent', 'lead', '--grant', TEAM_GRANT, ...at],
        });
        const { sessionId } = await editor.open();
        const prompted = editor.prompt(sessionId, 'Lead.');
        const asked = await editor.untilAsked();
        expect(asked.params.toolCall.title).toContain('writer: ');
        expect(asked.params.toolCall.toolCallId).not.toMatch(/^call_/);
        if (who === 'the editor') asked.choose('once');
        else {
          const { stdout } = await runKlaus(['approvals', '--json', ...at], { place, env });
          const { id } = JSON.parse(stdout) as { id: string };
          expect((await runKlaus(['approve', id, ...at], { place, server, env })).code).toBe(0);
        }
        expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
        expect(editor.text()).toContain('All is done.');
        expect(has(place, 'b.txt')).toBe(true);
        expect(editor.problems).toEqual([]);
        await editor.end();
        serve?.process.kill('SIGTERM');
        await serve?.process.ended;
      });
  },
);

test('a large file is sent complete; for content that cannot be shown, the first option is to reject', async () => {
  using place = createTestHome({ 'logo.bin': 'a\0b' });
  const large = 'const x = 1;\n'.repeat(20_000);
  const write = (turn: number, path: string, content: string) => ({
    when: { turn },
    reply: { calls: [{ name: 'write_file', input: { path, content } }] },
  });
  await using server = await startServer({
    steps: [write(0, 'large.js', large), write(1, 'logo.bin', 'text\n')],
    fallback: { text: 'Done.' },
  });
  await using editor = await startEditor({ place, server, words: [...ASK, '--budget-tokens', '0'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  const first = await editor.untilAsked(0);
  expect(first.params.toolCall.content).toContainEqual({
    type: 'diff',
    path: join(place.workspace, 'large.js'),
    oldText: null,
    newText: large,
  });
  expect(first.params.options[0]).toMatchObject({ kind: 'allow_once' });
  first.choose('once');
  const second = await editor.untilAsked(1);
  expect(second.params.options.map(({ kind }) => kind)).toEqual(['reject_once', 'allow_once']);
  expect(JSON.stringify(second.params.toolCall.content)).toContain('logo.bin');
  second.choose('reject');
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(readFileSync(join(place.workspace, 'large.js'), 'utf8')).toBe(large);
  expect(readFileSync(join(place.workspace, 'logo.bin'), 'utf8')).toBe('a\0b');
});
