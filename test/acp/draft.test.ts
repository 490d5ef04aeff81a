// Covers apps/acp/draft: the draft of version 2 of the protocol, behind an option.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import {
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv, type KlausOptions } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { record, startEditor } from './editor.ts';
import { agentMethods, check, updateKinds } from './protocol-schema.ts';

const VERSION = ['--protocol-version', '2'];

interface Asked {
  params: RequestPermissionRequest;
  choose(optionId: string): void;
}

/** A client of the draft. Each message of the agent is checked by the schema. */
async function startDraftEditor(options: KlausOptions, words: readonly string[] = []) {
  const { workspace } = options.place;
  const env = toEnv(options);
  const child = spawn(process.execPath, [MAIN, 'acp', ...VERSION, ...words], { cwd: workspace, env, stdio: 'pipe' });
  const seen = record(child, 2);
  const updates: { session: string; update: SessionUpdate }[] = [];
  const asked: Asked[] = [];
  const watchers = new Set<() => void>();
  const wake = (): void => watchers.forEach((watcher) => watcher());
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push({ session: params.sessionId, update: params.update });
      wake();
    })
    .onRequest('session/request_permission', ({ params }) => {
      const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
      asked.push({ params, choose: (optionId) => resolve({ outcome: { outcome: 'selected', optionId } }) });
      wake();
      return promise;
    });
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), seen.stdout));
  const initialized = await agent.request('initialize', {
    protocolVersion: 2,
    info: { name: 'test', version: '1' },
    capabilities: { auth: { terminal: {} } },
  });
  const until = async <T>(find: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.add(resolve);
      await promise;
      watchers.delete(resolve);
    }
  };
  const states = () => updates.flatMap(({ update }) => (update.sessionUpdate === 'state_update' ? [update] : []));
  return {
    agent,
    initialized,
    updates,
    asked,
    problems: seen.problems,
    lines: seen.lines,
    states,
    until,
    open: () => agent.request('session/new', { cwd: workspace }),
    prompt: (sessionId: string, text: string) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    untilIdle: (from = 0) =>
      until(() =>
        states()
          .slice(from)
          .find(({ state }) => state === 'idle'),
      ),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const WORK: Script = {
  contextWindow: 200_000,
  steps: [
    { when: { tools: false }, reply: { text: 'NOTES' } },
    {
      when: { user: 'hang' },
      reply: { thinking: 'A thought.', text: 'The beginning of an answer.' },
      faults: [{ kind: 'hang', after: 8, keepAlive: false, always: true }],
    },
    {
      when: { user: 'work', turn: 0 },
      reply: {
        thinking: 'Two steps.',
        text: 'I begin.',
        calls: [
          { name: 'todo_write', input: { todos: [{ text: 'Look', status: 'in_progress' }] } },
          { name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] } },
          { name: 'run_command', input: { command: 'echo out; exit 3' } },
        ],
      },
    },
    { when: { user: 'work' }, reply: { text: 'It is done.' } },
  ],
  fallback: { text: 'Heard.' },
};

test('the schema of the draft refuses what it does not know', () => {
  const isValid = (update: object): boolean => {
    try {
      check({ method: 'session/update', kind: 'Notification', version: 2 }, { sessionId: 's', update });
      return true;
    } catch {
      return false;
    }
  };
  expect(isValid({ sessionUpdate: 'state_update', state: 'idle' })).toBe(true);
  expect(isValid({ sessionUpdate: 'state_update', state: 'lost' })).toBe(false);
  expect(isValid({ sessionUpdate: 'unknown' })).toBe(false);
  expect(isValid({ sessionUpdate: 'tool_call_update' })).toBe(false);
});

test('without the option, a client that asks for version 2 is offered 1', async () => {
  using place = createTestHome();
  await using editor = await startEditor({ place });
  expect(await editor.agent.request('initialize', { protocolVersion: 2 })).toMatchObject({ protocolVersion: 1 });
});

test.each(['', 'not json\n'])(
  'with the option, a connection that ends before `initialize` ends cleanly: %j',
  async (stdin) => {
    using place = createTestHome();
    expect(await runKlaus(['acp', ...VERSION], { place, stdin })).toMatchObject({ code: 0, stderr: '' });
  },
);

test('with the option, a client of version 1 is served as before', async () => {
  using place = createTestHome();
  await using server = await startServer(WORK);
  await using editor = await startEditor({ place, server, words: VERSION });
  expect(editor.initialized).toMatchObject({ protocolVersion: 1 });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
  expect(await editor.end()).toBe(0);
});

test('every method of the draft is answered', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(WORK);
  await using editor = await startDraftEditor({ place, server });
  const { agent, initialized } = editor;
  expect(initialized).toMatchObject({ protocolVersion: 2, info: { name: 'klaus' }, capabilities: { session: {} } });
  expect(initialized.authMethods?.map(({ type }) => type)).toEqual(['terminal', 'agent']);
  const called = new Set(['initialize', 'session/cancel']);
  const ask = async <T>(method: string, params: object): Promise<T> => {
    called.add(method);
    return await agent.request<T>(method as '_any', params);
  };
  const cwd = place.workspace;
  await ask('auth/login', { methodId: 'api-key' });
  await expect(ask('auth/logout', {})).rejects.toMatchObject({ code: -32_600 });
  const { sessionId, configOptions } = await ask<Awaited<ReturnType<typeof editor.open>>>('session/new', { cwd });
  expect(configOptions?.map(({ configId }) => configId)).toEqual(['mode', 'model', 'effort']);
  const set = { sessionId, configId: 'mode', type: 'id', value: 'ask' };
  expect(await ask('session/set_config_option', set)).toMatchObject({
    configOptions: [{ configId: 'mode', currentValue: 'ask' }, {}, {}],
  });
  const wrong = ask('session/set_config_option', { ...set, value: 'none' });
  await expect(wrong).rejects.toMatchObject({ code: -32_602 });
  const { messageId } = await ask<{ messageId: string }>('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'hello' }],
  });
  await editor.untilIdle();
  expect(editor.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'user_message_chunk',
    messageId,
    content: { type: 'text', text: 'hello' },
  });
  expect(await ask('session/list', { cwd })).toMatchObject({ sessions: [{ sessionId }] });
  await ask('session/close', { sessionId });
  const before = editor.lines.length;
  await ask('session/resume', { sessionId, cwd, replayFrom: { type: 'start' } });
  const replayed = editor.lines.slice(before).map((line) => /"sessionUpdate":"(\w+)"/.exec(line)?.[1] ?? 'response');
  expect(replayed).toEqual(expect.arrayContaining(['user_message_chunk', 'agent_message_chunk']));
  // The state is the last update before the response.
  expect(replayed.slice(0, replayed.indexOf('response')).at(-1)).toBe('state_update');
  const cursor = ask('session/resume', { sessionId, cwd, replayFrom: { type: 'other' } });
  await expect(cursor).rejects.toMatchObject({ code: -32_602 });
  await agent.notify('session/cancel', { sessionId });
  await ask('session/delete', { sessionId });
  await expect(ask('session/prompt', { sessionId, prompt: [] })).rejects.toMatchObject({ code: -32_602 });
  // No call and no terminal is declared as one that can be cancelled alone.
  const absent = ['terminal/cancel', 'tool_call/cancel'];
  expect([...called].toSorted()).toEqual(agentMethods('draft').filter((method) => !absent.includes(method)));
  expect(editor.problems).toEqual([]);
});

test('a prompt becomes messages, calls with one diff, terminals, a plan and states', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  await using server = await startServer(WORK);
  await using editor = await startDraftEditor({ place, server });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, 'work');
  expect(await editor.untilIdle()).toMatchObject({ state: 'idle', stopReason: 'end_turn' });
  expect(editor.states().map(({ state }) => state)).toEqual(['running', 'idle']);
  const updates = editor.updates.map(({ update }) => update);
  const path = join(place.workspace, 'a.txt');
  expect(updates).toContainEqual(
    expect.objectContaining({
      sessionUpdate: 'tool_call_update',
      status: 'completed',
      content: [
        {
          type: 'diff',
          changes: [{ operation: 'modify', path }],
          patch: { format: 'git_patch', text: expect.stringContaining('+two') },
        },
      ],
    }),
  );
  const output = updates.flatMap((update) =>
    update.sessionUpdate === 'terminal_output_chunk' ? [Buffer.from(String(update['data']), 'base64').toString()] : [],
  );
  expect(output.join('')).toContain('out');
  expect(updates).toContainEqual(expect.objectContaining({ exitStatus: { exitCode: 3 } }));
  await editor.prompt(sessionId, '/mode ask');
  await editor.until(() => (editor.states().length === 4 ? true : undefined));
  await expect(editor.prompt(sessionId, '/resume')).rejects.toMatchObject({ code: -32_602 });
  expect(await editor.prompt(sessionId, '/compact')).toMatchObject({ messageId: expect.any(String) });
  await editor.untilIdle(4);
  const absent = [
    // Messages are sent in pieces, and contents of a call as one.
    'agent_message',
    'agent_thought',
    'user_message',
    'tool_call_content_chunk',
    // A session this short has nothing to replace or to report. They are the same as in version 1.
    'compaction_summary_chunk',
    'notice',
  ];
  const kinds = [...new Set(editor.updates.map(({ update }) => update.sessionUpdate))].toSorted();
  expect(kinds).toEqual(updateKinds('draft').filter((kind) => !absent.includes(kind)));
  expect(editor.problems).toEqual([]);
});

test('a question is a state, an answer continues the work, and a cancel ends it', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      WORK.steps[1]!,
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x\n' } }] },
      },
    ],
    fallback: { text: 'Heard.' },
  });
  await using editor = await startDraftEditor({ place, server }, ['--approve', 'ask']);
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, 'write');
  const asked = await editor.until(() => editor.asked[0]);
  expect(asked.params).toMatchObject({
    subject: { type: 'tool_call', toolCall: { toolCallId: 'call_0_0', content: [{ type: 'diff' }, {}] } },
    options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
  });
  expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
  asked.choose('once');
  expect(await editor.untilIdle()).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.states().map(({ state }) => state)).toEqual(['running', 'requires_action', 'running', 'idle']);
  expect(existsSync(join(place.workspace, 'a.txt'))).toBe(true);
  await editor.prompt(sessionId, 'hang');
  await editor.until(() => editor.updates.find(({ update }) => update.sessionUpdate === 'agent_thought_chunk'));
  // The run takes it with its next request to the model, which it does not reach.
  const held = editor.prompt(sessionId, 'held').catch((error: unknown) => error);
  await editor.agent.request('session/list', {});
  await editor.agent.notify('session/cancel', { sessionId });
  expect(await held).toMatchObject({ code: -32_800 });
  expect(await editor.untilIdle(4)).toMatchObject({ stopReason: 'cancelled' });
  expect(editor.problems).toEqual([]);
});

test('a prompt with a secret, and one that is too long, become messages too', async () => {
  using place = createTestHome();
  await using server = await startServer(WORK);
  await using editor = await startDraftEditor({ place, server });
  const { sessionId } = await editor.open();
  const texts = ['The key is sk-ant-api03-Zq8vN2kLw7RtYx4Bc6Df9Gh1Jm3Pn5Qs.', `Read this: ${'word '.repeat(20_000)}`];
  for (const [count, text] of texts.entries()) {
    expect(await editor.prompt(sessionId, text)).toMatchObject({ messageId: expect.any(String) });
    await editor.until(() => (editor.states().length === 2 * (count + 1) ? true : undefined));
  }
  expect(JSON.stringify(editor.updates)).not.toContain('Zq8vN2kLw7RtYx4Bc6Df9Gh1Jm3Pn5Qs');
  expect(editor.problems).toEqual([]);
});

test('a run that fails is a state with its error', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: {}, faults: [{ kind: 'status', status: 400, always: true }] }],
  });
  await using editor = await startDraftEditor({ place, server });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, 'hello');
  expect(await editor.untilIdle()).toMatchObject({ stopReason: 'error', error: { message: expect.any(String) } });
  expect((await runKlaus(['audit', 'verify', sessionId], { place })).code).toBe(0);
  expect(editor.problems).toEqual([]);
});
