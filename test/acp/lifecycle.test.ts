// Covers apps/acp, apps/acp/connection: connections that end, sessions that are resumed, and the files of the editor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, type Event, type Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { startEditor } from './editor.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const HANGING: Script = {
  steps: [
    { when: { user: 'continue' }, reply: { text: 'It continued.' } },
    {
      when: { user: 'never end' },
      reply: { thinking: 'A thought.', text: 'The beginning of an answer.' },
      faults: [{ kind: 'hang', after: 8, keepAlive: false, always: true }],
    },
    {
      when: { user: 'hang' },
      reply: { thinking: 'A thought.', text: 'The beginning of an answer.' },
      faults: [{ kind: 'hang', after: 8, keepAlive: false }],
    },
  ],
  fallback: { text: 'Done.' },
};

async function logOf(place: TestHome, session: string): Promise<Event[]> {
  expect((await runKlaus(['audit', 'verify', session], { place })).code).toBe(0);
  return toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
}

const outcomes = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === 'run.finished' ? [event.outcome] : []));

test('a cancel in the middle of an answer ends the turn, and the next prompt starts another', async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'never end');
  await editor.untilUpdate('agent_thought_chunk');
  await editor.agent.notify('session/cancel', { sessionId });
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  // Every update of the turn comes before its response.
  const before = editor.updates.length;
  await editor.agent.request('session/status', { sessionId });
  expect(editor.updates).toHaveLength(before);
  expect(await editor.prompt(sessionId, 'continue')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.text()).toContain('It continued.');
  // A request of the protocol can be cancelled too.
  const other = await editor.open();
  const controller = new AbortController();
  const second = editor.agent.request(
    'session/prompt',
    { sessionId: other.sessionId, prompt: [{ type: 'text', text: 'never end' }] },
    { cancellationSignal: controller.signal },
  );
  await editor.until(() =>
    editor.updates.find((it) => it.session === other.sessionId && it.update.sessionUpdate === 'agent_thought_chunk'),
  );
  controller.abort();
  expect(await second).toMatchObject({ stopReason: 'cancelled' });
  expect(editor.problems).toEqual([]);
});

for (const { cases, tags } of splitCases(['on this machine', 'at a server'], 1))
  test.each(cases)(
    'a cancel right after a prompt stops it, and the model never gets it: %s',
    { tags },
    async (where) => {
      using place = createTestHome();
      await using server = await startServer(HANGING);
      const serve = where === 'at a server' ? await startServeProcess(place, server) : undefined;
      const env = { KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' };
      const words = serve ? ['--server', serve.url] : [];
      await using editor = await startEditor({ place, server, env, words });
      const { sessionId } = await editor.open();
      for (let count = 0; count < 5; count++) {
        const prompted = editor.prompt(sessionId, 'never end');
        await editor.agent.notify('session/cancel', { sessionId });
        expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
      }
      const withdrawn = new AbortController();
      const request = { sessionId, prompt: [{ type: 'text' as const, text: 'never end' }] };
      const second = editor.agent.request('session/prompt', request, { cancellationSignal: withdrawn.signal });
      withdrawn.abort();
      expect(await second).toMatchObject({ stopReason: 'cancelled' });
      // Nothing of them is left for the next run.
      expect(await editor.prompt(sessionId, 'continue')).toMatchObject({ stopReason: 'end_turn' });
      expect(editor.problems).toEqual([]);
      await editor.end();
      serve?.process.kill('SIGTERM');
      await serve?.process.ended;
    },
  );

test('a cancel withdraws a message that the run has not taken', async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const first = editor.prompt(sessionId, 'never end');
  await editor.untilUpdate('agent_thought_chunk');
  const second = editor.prompt(sessionId, 'a held message');
  await editor.agent.request('session/list', {});
  await editor.agent.notify('session/cancel', { sessionId });
  expect(await Promise.all([first, second])).toMatchObject([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
  expect(await editor.prompt(sessionId, 'continue')).toMatchObject({ stopReason: 'end_turn' });
  expect(JSON.stringify(server.requests.at(-1)?.json)).not.toContain('a held message');
});

test('a killed agent leaves a session that is loaded with its history, and continued', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using first = await startEditor({ place, server });
  const { sessionId } = await first.open();
  await first.prompt(sessionId, 'begin');
  const prompted = first.prompt(sessionId, 'hang').catch(() => undefined);
  await first.untilUpdate('agent_thought_chunk');
  first.child.kill('SIGKILL');
  await prompted;
  await using second = await startEditor({ place, server });
  const cwd = place.workspace;
  const loaded = await second.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
  expect(loaded.modes?.currentModeId).toBe('auto');
  const history = second.updates.map(({ update }) =>
    'content' in update && update.content && 'text' in update.content
      ? `${update.sessionUpdate}: ${update.content.text}`
      : '',
  );
  expect(history.filter((text) => text.startsWith('user'))).toEqual([
    'user_message_chunk: begin',
    'user_message_chunk: hang',
  ]);
  expect(history).toContain('agent_message_chunk: Done.');
  // It does not continue by itself.
  expect(await second.untilUpdate('notice', ({ title }) => title.includes('interrupted'))).toBeDefined();
  expect(await second.prompt(sessionId, 'continue')).toMatchObject({ stopReason: 'end_turn' });
  expect(second.text()).toContain('It continued.');
  expect(second.problems).toEqual([]);
  await second.end();
  expect(outcomes(await logOf(place, sessionId)).at(-1)).toBe('done');
});

test('two sessions of one connection run at the same time and are kept apart', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using editor = await startEditor({ place, server });
  const [one, two] = [await editor.open(), await editor.open()];
  const hanging = editor.prompt(one.sessionId, 'hang');
  await editor.untilUpdate('agent_thought_chunk');
  expect(await editor.prompt(two.sessionId, 'continue')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.text(two.sessionId)).toBe('It continued.');
  expect(editor.text(one.sessionId)).not.toContain('continued');
  await editor.agent.request('session/close', { sessionId: one.sessionId });
  expect(await hanging).toMatchObject({ stopReason: 'cancelled' });
  await expect(editor.prompt(one.sessionId, 'more')).rejects.toMatchObject({ code: -32_002 });
  expect(editor.problems).toEqual([]);
});

test('a second message during a run joins it, and both are answered', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      { when: { user: 'second' }, reply: { text: 'Both.' } },
      {
        when: { turn: 0 },
        reply: { text: 'Reading.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
        delay: 300,
      },
    ],
    fallback: { text: 'Done.' },
  });
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const prompts = [editor.prompt(sessionId, 'first'), editor.prompt(sessionId, 'second')];
  expect((await Promise.all(prompts)).map(({ stopReason }) => stopReason)).toEqual(['end_turn', 'end_turn']);
  expect(editor.text()).toContain('Both.');
  // The editor shows its own messages already.
  expect(editor.updates.filter(({ update }) => update.sessionUpdate === 'user_message_chunk')).toEqual([]);
});

test(
  'the history of a loaded session comes before the response, and only a resumed one has none',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(HANGING);
    await using editor = await startEditor({ place, server });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, 'begin');
    const cwd = place.workspace;
    const findResponse = (from: number): number =>
      editor.lines.findIndex((line, at) => at >= from && line.includes('"result"') && line.includes('"modes"'));
    const kinds = (from: number, to: number): string[] =>
      editor.lines.slice(from, to).flatMap((line) => /"sessionUpdate":"(\w+)"/.exec(line)?.[1] ?? []);
    const atLoad = editor.lines.length;
    await editor.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    // A request later, everything that was sent has arrived.
    await editor.agent.request('session/status', { sessionId });
    const loaded = findResponse(atLoad);
    expect(kinds(atLoad, loaded)).toEqual(
      expect.arrayContaining(['user_message_chunk', 'agent_message_chunk', 'available_commands_update']),
    );
    expect(kinds(loaded, editor.lines.length)).toEqual([]);
    const atResume = editor.lines.length;
    await editor.agent.request('session/resume', { sessionId, cwd });
    await editor.untilUpdate('available_commands_update');
    expect(kinds(atResume, editor.lines.length).filter((kind) => kind.includes('message'))).toEqual([]);
    expect((await editor.agent.request('session/list', { cwd: '/nowhere' })).sessions).toEqual([]);
    expect(editor.problems).toEqual([]);
  },
);

test('a close ends a run that waits for an answer', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }] } }],
    fallback: { text: 'Done.' },
  });
  await using editor = await startEditor({ place, server, words: ['--approve', 'ask'] });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'write');
  await editor.untilAsked();
  await editor.agent.request('session/close', { sessionId });
  expect(await prompted).toMatchObject({ stopReason: 'cancelled' });
  expect(outcomes(await logOf(place, sessionId))).toEqual(['cancelled']);
});

test('the hosts of --allow-net are in the grant of each session', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  await using editor = await startEditor({ place, server, words: ['--allow-net', 'example.com:8443'] });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, 'go');
  const [opened] = await logOf(place, sessionId);
  const { authorities } = (opened as Extract<Event, { type: 'session.opened' }>).grant;
  expect(authorities).toContainEqual(expect.objectContaining({ kind: 'net', host: 'example.com', port: 8443 }));
});

test('garbage on standard input is answered with errors, and the connection continues', async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using editor = await startEditor({ place, server });
  const before = editor.lines.length;
  const garbage = [
    'not json',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]',
    '42',
    '{"jsonrpc":"1.0"}',
    '{}',
    '',
  ];
  for (const line of garbage) editor.child.stdin.write(`${line}\n`);
  editor.child.stdin.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  const errors = editor.lines
    .slice(before)
    .map((line) => JSON.parse(line) as { id?: unknown; error?: { code: number } })
    .filter(({ error }) => error);
  expect(errors.length).toBeGreaterThanOrEqual(6);
  expect(errors.every(({ id, error }) => id === null && [-32_700, -32_600].includes(error!.code))).toBe(true);
  expect(editor.problems).toEqual([]);
});

for (const { cases, tags } of splitCases(['end of input', 'SIGTERM'] as const, 1))
  test.each(cases)('a run ends cleanly with the connection: %s', { tags }, async (how) => {
    using place = createTestHome();
    await using server = await startServer(HANGING);
    await using editor = await startEditor({ place, server });
    const { sessionId } = await editor.open();
    const prompted = editor.prompt(sessionId, 'hang').catch(() => undefined);
    await editor.untilUpdate('agent_thought_chunk');
    if (how === 'SIGTERM') editor.child.kill('SIGTERM');
    expect(await editor.end()).toBe(0);
    await prompted;
    expect(outcomes(await logOf(place, sessionId))).toEqual(['cancelled']);
    expect(editor.problems).toEqual([]);
  });

test('a command that runs ends with the connection', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'run_command', input: { command: 'echo $$ > pid; sleep 600' } }] },
      },
    ],
    fallback: { text: 'Done.' },
  });
  await using editor = await startEditor({ place, server });
  const { sessionId } = await editor.open();
  const prompted = editor.prompt(sessionId, 'run').catch(() => undefined);
  await editor.untilUpdate('tool_call_update', ({ status }) => status === 'in_progress');
  const pid = Number(await untilFile(join(place.workspace, 'pid')));
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(await editor.end()).toBe(0);
  await prompted;
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test(
  'unsaved text is read through the editor, kept from edits, and written files are shown',
  { tags: ['long'] },
  async () => {
    using place = createTestHome({ 'a.txt': 'saved\n', 'b.txt': 'b\n' });
    await using server = await startServer({
      steps: [
        {
          when: { turn: 0 },
          reply: {
            calls: [
              { name: 'read_file', input: { path: 'a.txt' } },
              { name: 'write_file', input: { path: 'a.txt', content: 'lost?\n' } },
              { name: 'write_file', input: { path: 'b.txt', content: 'written\n' } },
            ],
          },
        },
      ],
      fallback: { text: 'Done.' },
    });
    const path = (name: string): string => join(place.workspace, name);
    const files = { [path('a.txt')]: 'unsaved\n' };
    const capabilities = { fs: { readTextFile: true, writeTextFile: true } };
    await using editor = await startEditor({ place, server, files, capabilities });
    const { sessionId } = await editor.open();
    expect(await editor.prompt(sessionId, 'go')).toMatchObject({ stopReason: 'end_turn' });
    const results = (await logOf(place, sessionId)).flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'error', 'ok']);
    expect(results[0]?.output).toContain('unsaved\n');
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('saved\n');
    expect(readFileSync(path('b.txt'), 'utf8')).toBe('written\n');
    expect(editor.written).toEqual([{ path: path('b.txt'), content: 'written\n' }]);
    await editor.prompt(sessionId, '/undo');
    expect(readFileSync(path('b.txt'), 'utf8')).toBe('b\n');
    expect(editor.problems).toEqual([]);
  },
);

test('a workspace behind a symbolic link keeps the paths of the editor', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'a.txt': 'saved\n', 'b.txt': 'b\n' });
  await using server = await startServer({
    steps: [
      {
        when: { turn: 0 },
        reply: {
          calls: [
            { name: 'read_file', input: { path: 'a.txt' } },
            { name: 'write_file', input: { path: 'b.txt', content: 'written\n' } },
          ],
        },
      },
    ],
    fallback: { text: 'Done.' },
  });
  const cwd = `${place.workspace}-link`;
  symlinkSync(place.workspace, cwd);
  const files = { [join(cwd, 'a.txt')]: 'unsaved\n' };
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  await using editor = await startEditor({ place, server, files, capabilities });
  const { sessionId } = await editor.open(cwd);
  await editor.prompt(sessionId, 'go');
  const results = (await logOf(place, sessionId)).flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
  expect(results[0]?.output).toContain('unsaved');
  expect(editor.written).toEqual([{ path: join(cwd, 'b.txt'), content: 'written\n' }]);
  const changed = await editor.untilUpdate(
    'tool_call_update',
    ({ status, content }) => status === 'completed' && content?.[0]?.type === 'diff',
  );
  expect(changed.content).toMatchObject([{ path: join(cwd, 'b.txt') }]);
  const { sessions } = await editor.agent.request('session/list', { cwd });
  expect(sessions).toMatchObject([{ sessionId, cwd }]);
});

test('archived sessions are not listed', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  for (const text of ['Kept.', 'Archived.']) await runKlaus(['run', text], { place, server });
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env });
  const [archived, kept] = await klaus.sessions();
  const session = await klaus.session(archived!.id);
  await session.send({ type: 'change', archived: true });
  await session.applyQueuedCommands();
  await using editor = await startEditor({ place, server });
  const { sessions } = await editor.agent.request('session/list', {});
  expect(sessions.map((each) => each.sessionId)).toEqual([kept!.id]);
});

test(
  'output of a command is shown while it runs, as text or in a terminal of the agent',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    const script: Script = {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo out; exit 3' } }] } },
      ],
      fallback: { text: 'Done.' },
    };
    await using server = await startServer(script);
    await using plain = await startEditor({ place, server });
    await plain.prompt((await plain.open()).sessionId, 'run');
    const shown = await plain.untilUpdate('tool_call_update', ({ content }) =>
      JSON.stringify(content ?? '').includes('out'),
    );
    expect(JSON.stringify(shown.content)).toContain('console');
    expect(plain.problems).toEqual([]);
    const capabilities = { _meta: { terminal_output: true } };
    await using terminal = await startEditor({ place, server, capabilities });
    await terminal.prompt((await terminal.open()).sessionId, 'run');
    const call = await terminal.untilUpdate('tool_call');
    expect(call.content).toEqual([{ type: 'terminal', terminalId: call.toolCallId }]);
    const metas = terminal.updates.flatMap(({ update }) => (update._meta ? [update._meta] : []));
    const info = { terminal_id: call.toolCallId };
    expect(metas[0]).toMatchObject({ terminal_info: { ...info, cwd: place.workspace } });
    expect(
      metas.map((meta) => (meta['terminal_output'] as { data: string } | undefined)?.data ?? '').join(''),
    ).toContain('out');
    expect(metas.at(-1)).toMatchObject({ terminal_exit: { ...info, exit_code: 3 } });
    expect(terminal.problems).toEqual([]);
  },
);

test('`initialize` is answered once, before the engine is loaded', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(HANGING);
  await using editor = await startEditor({ place, server });
  expect(existsSync(join(place.home, 'klaus.db'))).toBe(false);
  // It is answered once.
  expect(editor.lines.filter((line) => line.includes('protocolVersion'))).toHaveLength(1);
  expect(await editor.agent.request('initialize', { protocolVersion: 99 })).toMatchObject({ protocolVersion: 1 });
  await editor.open();
  expect(existsSync(join(place.home, 'klaus.db'))).toBe(true);
});

for (const { cases, tags } of splitCases([[[]], [['--protocol-version', '2']]], 1))
  test.each(cases)('a signal ends a process that was not used: %j', { tags }, async (words) => {
    using place = createTestHome();
    const running = spawn(process.execPath, [MAIN, 'acp', ...words], { env: toEnv({ place }), stdio: 'pipe' });
    // It has begun to listen for signals once it answers.
    running.stdin.write('{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n');
    await once(running.stdout, 'data');
    running.kill('SIGTERM');
    expect(await once(running, 'exit')).toEqual([0, null]);
  });

test(
  'a connection that does not begin with `initialize`, or that ends at once, ends cleanly',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    const first = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n';
    const early = await runKlaus(['acp'], { place, stdin: first });
    expect(JSON.parse(early.stdout)).toMatchObject({ id: 1, error: { code: -32_600 } });
    expect(early).toMatchObject({ code: 0, stderr: '' });
    expect(await runKlaus(['acp'], { place, stdin: '' })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const wrong = '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"1"}}\n';
    const refused = await runKlaus(['acp'], { place, stdin: wrong });
    expect(JSON.parse(refused.stdout)).toMatchObject({ id: 'a', error: { code: -32_602 } });
  },
);
