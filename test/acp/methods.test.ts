// Covers apps/acp: every method of the protocol, and every kind of update.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startEditor } from './editor.ts';
import { agentMethods, updateKinds } from './protocol-schema.ts';

const PLAIN: Script = { steps: [], fallback: { text: 'Heard.' }, contextWindow: 200_000 };

/** Unstable methods that this agent does not have, and that it does not declare. */
const ABSENT_UNSTABLE = [
  'mcp/message',
  'providers/disable',
  'providers/list',
  'providers/set',
  'session/archive',
  'session/unarchive',
];

test('every method of an agent is answered, and absent ones are not declared', async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  await using editor = await startEditor({ place, server });
  const { agent } = editor;
  const called = new Set(['initialize', 'session/cancel']);
  const ask = async <T>(method: string, params: object): Promise<T> => {
    called.add(method);
    return await agent.request<T>(method, params);
  };
  expect(editor.initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'klaus' } });
  await ask('authenticate', { methodId: editor.initialized.authMethods![0]!.id });
  expect(await ask('auth/status', {})).toMatchObject({ state: 'authenticated' });
  const { sessionId } = await ask<{ sessionId: string }>('session/new', { cwd: place.workspace, mcpServers: [] });
  const cwd = place.workspace;
  const prompt = [{ type: 'text', text: 'hello' }];
  expect(await ask('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
  await ask('session/set_mode', { sessionId, modeId: 'plan' });
  const set = { sessionId, configId: 'mode', value: 'ask' };
  expect(await ask('session/set_config_option', set)).toMatchObject({
    configOptions: [{ id: 'mode', currentValue: 'ask' }, { id: 'model' }, { id: 'effort' }],
  });
  await ask('session/set_config_option', { sessionId, configId: 'model', value: 'opus' });
  await ask('session/set_config_option', { sessionId, configId: 'effort', value: 'high' });
  const changed = await editor.untilUpdate('config_option_update', ({ configOptions }) =>
    configOptions.some((option) => option.id === 'effort' && option.currentValue === 'high'),
  );
  expect(changed.configOptions[1]?.currentValue).toContain('opus');
  expect(await ask('session/set_title', { sessionId, title: ' My title ' })).toEqual({ title: 'My title' });
  expect(await ask('session/status', { sessionId })).toEqual({ status: 'open' });
  const fork = await ask<{ sessionId: string }>('session/fork', { sessionId, cwd, mcpServers: [] });
  const { sessions } = await ask<{ sessions: { sessionId: string; title: string }[] }>('session/list', { cwd });
  expect(sessions.map((each) => each.sessionId).toSorted()).toEqual([sessionId, fork.sessionId].toSorted());
  expect(sessions.find((each) => each.sessionId === sessionId)?.title).toBe('My title');
  await ask('session/close', { sessionId });
  expect(await ask('session/status', { sessionId })).toEqual({ status: 'saved' });
  expect(await ask('session/resume', { sessionId, cwd, mcpServers: [] })).toMatchObject({
    modes: { currentModeId: 'ask' },
  });
  await ask('session/load', { sessionId, cwd, mcpServers: [] });
  await agent.notify('session/cancel', { sessionId });
  await ask('session/delete', { sessionId });
  // The key is in the environment.
  await expect(ask('logout', {})).rejects.toMatchObject({ code: -32_600 });
  expect([...called].toSorted()).toEqual(agentMethods('unstable').filter((each) => !ABSENT_UNSTABLE.includes(each)));
  for (const method of agentMethods('stable')) expect(called).toContain(method);
  for (const method of ABSENT_UNSTABLE.filter((each) => each !== 'mcp/message'))
    await expect(agent.request(method, { sessionId, providerId: 'x' })).rejects.toMatchObject({ code: -32_601 });
  expect(editor.problems).toEqual([]);
});

/** A window that a few reads of a file fill, so that the history is compacted. */
const EVERYTHING: Script = {
  contextWindow: 12_000,
  maxOutputTokens: 1_024,
  steps: [
    { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } },
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'NOTES' }, reply: { text: 'I remember.' } },
    { when: { user: 'from the terminal' }, reply: { text: 'Heard.' } },
    {
      when: { turn: 0 },
      reply: {
        thinking: 'Two steps.',
        text: 'I plan.',
        calls: [
          {
            name: 'todo_write',
            input: {
              todos: [
                { text: 'Look', status: 'in_progress' },
                { text: 'Fix', status: 'pending' },
                { text: 'Begin', status: 'done' },
              ],
            },
          },
          { name: 'read_file', input: { path: 'big.txt' } },
        ],
      },
    },
  ],
  fallback: { text: 'Reading.', calls: [{ name: 'read_file', input: { path: 'big.txt' } }] },
};

test('every kind of update is sent, and matches the schema', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'big.txt': 'x'.repeat(6_000) });
  const file = join(place.workspace, '../script.json');
  writeFileSync(file, JSON.stringify(EVERYTHING));
  const env = { AGENT_MODEL: `scripted/${file}` };
  await using editor = await startEditor({ place, env });
  const { agent } = editor;
  const { sessionId } = await agent.request('session/new', {
    cwd: place.workspace,
    mcpServers: [{ name: 'tools', command: '/bin/true', args: [], env: [] }],
  });
  await editor.prompt(sessionId, 'begin');
  expect((await editor.untilUpdate('plan')).entries).toEqual([
    { content: 'Look', priority: 'medium', status: 'in_progress' },
    { content: 'Fix', priority: 'medium', status: 'pending' },
    { content: 'Begin', priority: 'medium', status: 'completed' },
  ]);
  expect(await editor.untilUpdate('notice', ({ title }) => title.includes('tools'))).toMatchObject({
    severity: 'warning',
  });
  await agent.request('session/set_mode', { sessionId, modeId: 'edits' });
  expect(await editor.untilUpdate('current_mode_update')).toMatchObject({ currentModeId: 'edits' });
  await editor.untilUpdate('config_option_update');
  // Another door sends a prompt.
  const other = await runKlaus(['run', '--session', sessionId, 'from the terminal'], { place, env });
  expect(other.code).toBe(0);
  expect(await editor.untilUpdate('user_message_chunk')).toMatchObject({ content: { text: 'from the terminal' } });
  const { compactionId } = await editor.untilUpdate('compaction_update', ({ status }) => status === 'completed');
  const compaction = editor.updates.flatMap(({ update }) =>
    'compactionId' in update && update.compactionId === compactionId ? [update] : [],
  );
  expect(compaction).toMatchObject([
    { sessionUpdate: 'compaction_update', status: 'in_progress' },
    { sessionUpdate: 'compaction_summary_chunk', content: { text: expect.stringContaining('NOTES') } },
    { sessionUpdate: 'compaction_update', status: 'completed' },
  ]);
  const kinds = [...new Set(editor.updates.map(({ update }) => update.sessionUpdate))].toSorted();
  expect(kinds).toEqual(updateKinds('stable'));
  expect(editor.problems).toEqual([]);
});

test('images, embedded files and links reach the model', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'a.txt': 'x\n' });
  await using server = await startServer(PLAIN);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const uri = `file://${join(place.workspace, 'a.txt')}`;
  await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'Compare ' },
      { type: 'resource_link', uri, name: 'a.txt' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      { type: 'resource', resource: { uri: `${uri}#L1:1`, text: 'embedded text' } },
    ],
  });
  const sent = JSON.stringify(server.requests.map(({ json }) => json));
  expect(sent).toContain('Compare @a.txt');
  expect(sent).toContain('iVBORw0KGgo=');
  expect(sent).toContain('embedded text');
  await expect(
    editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'audio', mimeType: 'audio/wav', data: '' }] }),
  ).rejects.toMatchObject({ code: -32_602 });
  expect(editor.problems).toEqual([]);
});

test('slash commands are answered here, and other text with a slash is for the model', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  await using server = await startServer({
    steps: [
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] },
      },
    ],
    fallback: { text: 'Heard.' },
  });
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const { availableCommands } = await editor.untilUpdate('available_commands_update');
  await editor.prompt(sessionId, 'change');
  const read = (): string => readFileSync(join(place.workspace, 'a.txt'), 'utf8');
  expect(read()).toBe('two\n');
  const say = async (text: string): Promise<string> => {
    const before = editor.text().length;
    await editor.prompt(sessionId, text);
    return editor.text().slice(before);
  };
  expect(await say('/diff')).toContain('+two');
  expect(await say('/undo')).toContain('a.txt');
  expect(read()).toBe('one\n');
  expect(await say('/redo')).toContain('a.txt');
  expect(read()).toBe('two\n');
  const runs = ['resume', 'compact'];
  for (const { name } of availableCommands) if (!runs.includes(name)) expect(await say(`/${name}`), name).not.toBe('');
  expect(await say('/mode plan')).toContain('plan');
  expect(await say('/mode nonsense')).toContain('no mode');
  expect(await say('/model no-such-model')).toContain('no-such-model');
  expect(await say('/pin Keep this.')).not.toBe('');
  expect(await say('/context')).toContain('Keep this.');
  const requests = server.requests.length;
  expect(await say('/etc/hosts is a file')).toContain('Heard.');
  expect(server.requests.length).toBeGreaterThan(requests);
  expect(await say('/compact')).toContain('compacted');
  await expect(editor.prompt(sessionId, '/resume')).rejects.toMatchObject({ code: -32_602 });
  expect(editor.problems).toEqual([]);
});

test('wrong requests are refused with the codes of the protocol', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  await using editor = await startEditor({ place, server });
  const { agent } = editor;
  const cwd = place.workspace;
  const unknown = { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  const { sessionId } = await editor.open();
  const code = async (method: string, params: object): Promise<number> =>
    agent.request(method, params).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  const keys = join(cwd, '.ssh');
  mkdirSync(keys);
  expect(await code('session/prompt', { ...unknown, prompt: [] })).toBe(-32_002);
  expect(await code('session/load', { ...unknown, cwd, mcpServers: [] })).toBe(-32_002);
  expect(await code('session/resume', { ...unknown, cwd, mcpServers: [] })).toBe(-32_002);
  expect(await code('session/load', { sessionId: sessionId.slice(0, 12), cwd, mcpServers: [] })).toBe(-32_002);
  expect(await code('session/fork', { ...unknown, cwd, mcpServers: [] })).toBe(-32_002);
  expect(await code('session/status', unknown)).toBe(-32_002);
  expect(await code('session/set_mode', { sessionId, modeId: 'none' })).toBe(-32_602);
  expect(await code('session/set_config_option', { sessionId, configId: 'none', value: 'x' })).toBe(-32_602);
  expect(await code('session/set_config_option', { sessionId, configId: 'model', value: 'none' })).toBe(-32_602);
  expect(await code('session/set_title', { sessionId, title: ' ' })).toBe(-32_602);
  expect(await code('session/new', { cwd: 'relative', mcpServers: [] })).toBe(-32_602);
  expect(await code('session/new', { cwd: join(cwd, 'none'), mcpServers: [] })).toBe(-32_602);
  for (const refused of ['/', '/etc', '/proc/self', keys])
    expect(await code('session/new', { cwd: refused, mcpServers: [] })).toBe(-32_602);
  expect(await code('session/list', { cursor: 'x' })).toBe(-32_602);
  expect(await code('authenticate', { methodId: 'none' })).toBe(-32_602);
  expect(await code('session/new', {})).toBe(-32_602);
  expect(await code('no/such/method', {})).toBe(-32_601);
  expect(await code('_custom/method', {})).toBe(-32_601);
  const errors = editor.lines.flatMap((line) => (JSON.parse(line) as { error?: { message: string } }).error ?? []);
  expect(errors.length).toBeGreaterThan(15);
  for (const { message } of errors) expect(message).toMatch(/^[^\n]+$/);
  // The connection still works, also with fields of extensions.
  const hello = { sessionId, prompt: [{ type: 'text', text: 'hello' }], _meta: { traceparent: '00-1-2-01' } };
  expect(await agent.request('session/prompt', hello as never)).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('without a key, a session asks for authentication', async () => {
  using place = createTestHome();
  await using editor = await startEditor({ place });
  const { authMethods = [] } = editor.initialized;
  expect(authMethods[0]?.description).toContain('ANTHROPIC_API_KEY');
  const methodId = authMethods[0]!.id;
  await expect(editor.agent.request('authenticate', { methodId })).rejects.toMatchObject({ code: -32_000 });
  expect(await editor.agent.request('auth/status', {})).toMatchObject({ state: 'unauthenticated' });
  await expect(editor.open()).rejects.toMatchObject({ code: -32_000 });
  expect(editor.problems).toEqual([]);
});

test('a key that the provider refuses asks for authentication', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: {}, faults: [{ kind: 'status', status: 401, always: true }] }],
  });
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  await expect(editor.prompt(sessionId, 'hello')).rejects.toMatchObject({ code: -32_000 });
});
