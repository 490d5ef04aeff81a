// Covers apps/acp, apps/acp/connection: clients that send garbage, too much, or nothing, and clients that die.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { startEditor, type Editor } from './editor.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const MEGABYTE = 1_000_000;

const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'hang' },
      reply: { thinking: 'A thought.', text: 'The beginning of an answer.' },
      faults: [{ kind: 'hang', after: 8, keepAlive: false, always: true }],
    },
    {
      when: { user: 'sleep', turn: 0 },
      reply: { calls: [{ name: 'run_command', input: { command: 'echo $$ > pid; sleep 600' } }] },
    },
    {
      when: { user: 'write', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }] },
    },
  ],
  fallback: { text: 'Heard.' },
};

async function outcomesOf(place: TestHome, session: string): Promise<string[]> {
  const { stdout } = await runKlaus(['show', session, '--json'], { place });
  return toEvents(stdout).flatMap((event) => (event.type === 'run.finished' ? [event.outcome] : []));
}

/** The errors that have no request. */
const protocolErrors = ({ lines }: Editor): number[] =>
  lines.flatMap((line) => {
    const { id, error } = JSON.parse(line) as { id?: unknown; error?: { code: number } };
    return id === null && error ? [error.code] : [];
  });

test('a line of 20 MB is answered, whether it is garbage or a request', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server });
  const { promise, resolve } = Promise.withResolvers<void>();
  editor.child.stdin.write(`${'x'.repeat(20 * MEGABYTE)}\n`, () => resolve());
  await promise;
  const { sessionId } = await editor.open();
  expect(protocolErrors(editor)).toEqual([-32_700]);
  const prompted = editor.prompt(sessionId, 'y'.repeat(20 * MEGABYTE));
  await expect(prompted).rejects.toMatchObject({ code: -32_602 });
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('an image that is too large, or that is none, is refused', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const send = (data: string) =>
    editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'image', mimeType: 'image/png', data }] });
  await expect(send('A'.repeat(20 * MEGABYTE))).rejects.toMatchObject({ code: -32_602 });
  await expect(send('no base64!')).rejects.toMatchObject({ code: -32_602 });
  expect(server.requests).toEqual([]);
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
});

test('a line that is longer than a message can be ends the connection, and its runs', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'hang').catch(() => undefined);
  await editor.untilUpdate('agent_thought_chunk');
  // The pipe breaks while it is written.
  editor.child.stdin.on('error', () => {});
  editor.child.stdin.write('x'.repeat(40 * MEGABYTE));
  await once(editor.child, 'exit');
  await prompted;
  expect(editor.child.exitCode).toBe(0);
  expect(editor.stderr()).toContain('limit');
  expect(await outcomesOf(place, sessionId)).toEqual(['cancelled']);
});

test('requests in a wrong form have a code', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const code = (method: string, params: unknown): Promise<number> =>
    editor.agent.request(method as '_x', params).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  for (const params of [null, [], 'x', 7, {}, { sessionId: 7 }, { sessionId, prompt: 'x' }, { sessionId, prompt: [7] }])
    expect(await code('session/prompt', params), JSON.stringify(params)).toBe(-32_602);
  expect(await code('session/prompt', { sessionId, prompt: [] })).toBe(-32_602);
  expect(await code('session/prompt', { sessionId, prompt: [{ type: 'text', text: '' }] })).toBe(-32_602);
  expect(await code('session/prompt', { sessionId, prompt: [{ type: 'hologram' }] })).toBe(-32_602);
  for (const id of ['', '../../etc/passwd', '%', "' OR 1=1 --", 'x'.repeat(MEGABYTE)]) {
    expect(await code('session/load', { sessionId: id, cwd: place.workspace, mcpServers: [] })).toBe(-32_002);
    expect(await code('session/delete', { sessionId: id })).toBe(0);
  }
  for (const method of ['', 'constructor', '__proto__', 'session/update', 'rpc.discover', 'x'.repeat(MEGABYTE)])
    expect(await code(method, {}), method.slice(0, 20)).toBe(-32_601);
  // Notifications have no answer: of a session that is unknown, or without a prompt.
  await editor.agent.notify('session/cancel', { sessionId });
  await editor.agent.notify('session/cancel', { sessionId: 'unknown' });
  await editor.agent.notify('_unknown', {});
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('answers without a question are ignored', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server, words: ['--approve', 'ask'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  const asked = await editor.untilAsked();
  const write = (message: object): boolean =>
    editor.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const outcome = { outcome: 'selected', optionId: 'once' };
  write({ id: 4_711, result: { outcome } });
  write({ id: 'x', result: { outcome } });
  write({ id: null, result: { outcome } });
  await editor.agent.request('session/status', { sessionId });
  expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
  asked.respond({ outcome: { outcome: 'approved' } } as never);
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
});

for (const { cases, tags } of splitCases(['stdin', 'SIGKILL of the editor'] as const, 1))
  test.each(cases)('a client that dies leaves no process: %s', { tags }, async (how) => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    await using editor = await startEditor({ place, server });
    const { sessionId } = await editor.open();
    const prompted = editor.prompt(sessionId, 'sleep').catch(() => undefined);
    const pid = Number(await untilFile(join(place.workspace, 'pid')));
    if (how !== 'stdin') {
      // Both pipes break, as when the other process is killed.
      editor.child.stdout.destroy();
      editor.child.stderr.destroy();
    }
    await editor.end();
    if (how === 'stdin') await prompted;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await outcomesOf(place, sessionId)).toEqual(['cancelled']);
  });

test('the end of input in the middle of a question ends the process, and the question stays open', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server, words: ['--approve', 'ask'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write').catch(() => undefined);
  await editor.untilAsked();
  expect(await editor.end()).toBe(0);
  await prompted;
  expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
  const { stdout } = await runKlaus(['approvals', '--json'], { place });
  expect(JSON.parse(stdout)).toMatchObject({ session: sessionId });
});

test('a session is deleted with its run, and not while another process works on it', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  await using editor = await startEditor({ place, server });
  await using other = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'hang');
  await editor.untilUpdate('agent_thought_chunk');
  await other.agent.request('session/resume', { sessionId, cwd: place.workspace });
  await expect(other.agent.request('session/delete', { sessionId })).rejects.toMatchObject({
    code: -32_603,
    data: { code: 'store.busy' },
  });
  // The other editor still has it.
  expect(await other.agent.request('session/status', { sessionId })).toEqual({ status: 'open' });
  expect(await editor.agent.request('session/delete', { sessionId })).toEqual({});
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect((await editor.agent.request('session/list', {})).sessions).toEqual([]);
  await expect(editor.prompt(sessionId, 'more')).rejects.toMatchObject({ code: -32_002 });
  expect(await editor.agent.request('session/delete', { sessionId })).toEqual({});
  await expect(other.prompt(sessionId, 'more')).rejects.toMatchObject({ code: -32_002 });
  expect(editor.problems).toEqual([]);
});
