// Covers apps/cli/chat, apps/cli/commands, sdk/sessions, sdk/agents: klaus chat, as a user sees it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus, type Event, type Script, type StartedModelServer } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { CHAT_COMMANDS } from '../../apps/cli/chat/chat-commands.ts';
import {
  type Ended,
  listSessions,
  MAIN,
  runKlaus,
  startKlaus,
  startServer,
  toEnv,
  untilRequest,
} from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { focusQuestion, hasTmux, openTerminal, type Terminal } from '../fixtures/terminal.ts';

const TITLE = { when: { tools: false, system: 'title' }, reply: { text: 'A title' } };
const TALK: Script = { steps: [TITLE], fallback: { text: 'A sentence.' } };
const WRITE: Script = {
  steps: [
    TITLE,
    { when: { after: 'write_file' }, reply: { text: 'A sentence.' } },
    {
      when: { user: 'write' },
      reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'brand new\n' } }] },
    },
  ],
  fallback: { text: 'A sentence.' },
};

interface At {
  place: TestHome;
  server: StartedModelServer;
}

function chat(lines: readonly string[], at: At, words: readonly string[] = []): Promise<Ended> {
  return runKlaus(['chat', ...words], { ...at, stdin: lines.map((line) => `${line}\n`).join('') });
}

function addAgent({ workspace }: TestHome, name: string, head = ''): void {
  const file = join(workspace, `.klaus/agents/${name}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\nname: ${name}\ndescription: Talks.\n${head}---\n\nYou are ${name} of the test.\n`);
}

async function readLog(place: TestHome, id: string): Promise<Event[]> {
  const { stdout } = await runKlaus(['show', id, '--json'], { place });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
}

/** The prompts that the last request to the model held. */
function lastPrompts({ requests }: StartedModelServer, prompts: readonly string[]): string[] {
  const { body } = requests.at(-1)!;
  return prompts.filter((prompt) => body.includes(prompt));
}

describe('piped', () => {
  test('each line is a prompt of one session, and the next chat continues it', async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    const first = await chat(['first prompt', '', 'second prompt \\', 'of two lines'], { place, server });
    expect(first).toMatchObject({ code: 0, stdout: 'A sentence.\nA sentence.\n' });
    expect(lastPrompts(server, ['first prompt', String.raw`second prompt \nof two lines`])).toHaveLength(2);
    expect(await chat(['third prompt'], { place, server })).toMatchObject({ code: 0 });
    expect(lastPrompts(server, ['first prompt', 'third prompt'])).toHaveLength(2);
    const sessions = await listSessions(place);
    expect(sessions).toHaveLength(1);
    expect((await readLog(place, sessions[0]!.id))[0]).toMatchObject({ type: 'session.opened', chat: true });
  });

  test('--new starts another session, --no-history one that no later chat continues', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    await chat(['first prompt'], { place, server });
    await chat(['second prompt'], { place, server }, ['--new']);
    await chat(['third prompt'], { place, server }, ['--no-history']);
    await chat(['fourth prompt'], { place, server });
    expect(lastPrompts(server, ['first prompt', 'second prompt', 'third prompt'])).toEqual(['second prompt']);
    expect(await listSessions(place)).toHaveLength(3);
    // A run is no chat.
    await runKlaus(['run', 'a run'], { place, server });
    await chat(['fifth prompt'], { place, server });
    expect(lastPrompts(server, ['second prompt', 'a run'])).toEqual(['second prompt']);
  });

  test('effort and temperature are those of a new session, and cannot change later', async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    await chat(['first prompt'], { place, server }, ['--effort', 'low', '--temperature', '0.5']);
    const { id } = (await listSessions(place))[0]!;
    expect((await readLog(place, id))[0]).toMatchObject({ effort: 'low', temperature: 0.5 });
    expect(await chat(['second prompt'], { place, server }, ['--effort', 'high'])).toMatchObject({ code: 2 });
  });

  test('each agent has its own chat, and one that keeps no history none', { tags: ['long'] }, async () => {
    using place = createTestHome();
    addAgent(place, 'talker');
    addAgent(place, 'forgetful', 'config:\n  preserve_history: false\n');
    await using server = await startServer(TALK);
    await chat(['for Klaus'], { place, server });
    await chat(['for talker'], { place, server }, ['talker']);
    expect(server.requests.at(-1)!.body).toContain('You are talker');
    await chat(['for forgetful'], { place, server }, ['forgetful']);
    await chat(['again for forgetful'], { place, server }, ['forgetful']);
    expect(lastPrompts(server, ['for talker', 'for forgetful'])).toEqual(['for forgetful']);
    expect(await listSessions(place)).toHaveLength(4);
    // Without a name, it is Klaus itself, regardless of the one before.
    await chat(['whom'], { place, server }, ['talker']);
    expect(lastPrompts(server, ['for talker', 'whom'])).toHaveLength(2);
    await chat(['who are you'], { place, server });
    await chat(['and you'], { place, server }, ['klaus']);
    expect(lastPrompts(server, ['for Klaus', 'whom', 'who are you', 'and you'])).toEqual([
      'for Klaus',
      'who are you',
      'and you',
    ]);
    const unknown = await chat(['x'], { place, server }, ['tolker', '--json']);
    expect(JSON.parse(unknown.stderr)).toMatchObject({
      error: { code: 'usage', hint: expect.stringContaining('talker') },
    });
    expect(unknown.code).toBe(2);
  });

  test(
    '--json prints the events, and the exit code is that of the first run that was not done',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(WRITE);
      const ended = await chat(['write', 'continue'], { place, server }, ['--json', '--approve', 'ask']);
      const events = ended.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Event);
      expect(ended.code).toBe(6);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
      expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(2);
    },
  );

  test(
    'options of a session that exists are refused, and its model and limits change',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(TALK);
      await chat(['first'], { place, server });
      expect(await chat(['second'], { place, server }, ['--grant', 'file-operations'])).toMatchObject({ code: 2 });
      await chat(['third'], { place, server }, ['--max-turns', '9', '-m', 'haiku']);
      const { id } = (await listSessions(place))[0]!;
      const changed = (await readLog(place, id)).filter(({ type }) => type === 'session.changed');
      expect(changed).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ model: expect.stringContaining('haiku') }),
          expect.objectContaining({ limits: expect.objectContaining({ turns: 9 }) }),
        ]),
      );
    },
  );
});

describe('commands', () => {
  test('/help lists each command, and an unknown one is not sent to the model', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    const help = await chat(['/help', '/quit', 'not sent'], { place, server });
    for (const { name } of CHAT_COMMANDS) expect(help.stdout).toContain(`/${name}`);
    const unknown = await chat(['/cots'], { place, server }, ['--json']);
    expect(unknown.code).toBe(2);
    expect(JSON.parse(unknown.stderr)).toMatchObject({
      error: { code: 'usage', hint: expect.stringContaining('/cost') },
    });
    expect(server.requests).toEqual([]);
    expect(await chat(['/etc/hosts is a file', ' /help is a prompt'], { place, server })).toMatchObject({ code: 0 });
    expect(lastPrompts(server, ['/etc/hosts is a file', '/help is a prompt'])).toHaveLength(2);
  });

  test('/capabilities and /tools follow the grant', { tags: ['long'] }, async () => {
    using place = createTestHome();
    addAgent(place, 'reader', 'grants: fs(., r) tool(read_file)\n');
    addAgent(place, 'talker');
    await using server = await startServer(TALK);
    const reader = await chat(['/capabilities', '/tools'], { place, server }, ['reader']);
    const lines = reader.stdout.split('\n').slice(0, -1);
    expect(lines).toContain(`fs(${place.workspace}, r) · tool(read_file)`);
    expect(lines.at(-1)).toBe('read_file');
    const talker = await chat(['/tools'], { place, server }, ['talker']);
    expect(talker.stdout.split('\n')).toHaveLength(2);
  });

  test(
    '/clear starts a new session, /fork a copy, and the next chat continues the last one',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(TALK);
      await chat(['first prompt', '/clear', 'second prompt', '/fork', 'third prompt'], { place, server });
      expect(lastPrompts(server, ['first prompt', 'second prompt', 'third prompt'])).toHaveLength(2);
      expect(await listSessions(place)).toHaveLength(3);
      await chat(['fourth prompt'], { place, server });
      expect(lastPrompts(server, ['first prompt', 'second prompt', 'third prompt'])).toHaveLength(2);
    },
  );

  test('/model and /cost', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    const lines = ['/model opus', 'a prompt', '/model haiku', '/model', 'a prompt', '/cost'];
    const ended = await chat(lines, { place, server });
    expect(ended.code).toBe(0);
    const models = ended.stdout.split('\n').filter((line) => /^anthropic\/\S+$/.test(line));
    expect(models).toEqual([
      expect.stringContaining('opus'),
      expect.stringContaining('haiku'),
      expect.stringContaining('haiku'),
    ]);
    expect(ended.stdout).toMatch(/anthropic\/\S*opus[^]*\btotal\b/);
    const failed = await chat(['/model nothing/at-all'], { place, server }, ['--json']);
    expect(failed.code).toBe(3);
  });

  test('/undo undoes the last run', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    expect(await chat(['write it'], { place, server })).toMatchObject({ code: 0 });
    const file = join(place.workspace, 'new.txt');
    expect(existsSync(file)).toBe(true);
    expect(await chat(['/undo'], { place, server })).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
    expect(await chat(['/undo'], { place, server })).toMatchObject({ code: 1 });
  });
});

describe('other processes', () => {
  const HANG: Script = {
    steps: [TITLE, { reply: { text: 'never' }, faults: [{ kind: 'hang', after: 0, keepAlive: true, always: true }] }],
  };

  test(
    'a chat of a session that another process is working on is refused with exit 9',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(HANG);
      const running = startKlaus(['chat'], { place, server, stdin: 'first prompt\n' });
      await running.printed('stderr', 'session ');
      await untilRequest(server);
      const second = await chat(['second prompt'], { place, server }, ['--json']);
      expect(second.code).toBe(9);
      const { error } = JSON.parse(second.stderr) as { error: { code: string; hint: string } };
      expect(error.code).toBe('store.busy');
      expect(error.hint).toMatch(/klaus interrupt .*--new/);
      running.kill('SIGKILL');
      await running.ended;
      expect(await listSessions(place)).toHaveLength(1);
    },
  );

  test('SIGTERM cancels the run and ends the chat', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(HANG);
    const running = startKlaus(['chat'], { place, server, stdin: 'first prompt\nsecond prompt\n' });
    await running.printed('stderr', 'session ');
    await untilRequest(server);
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(lastPrompts(server, ['second prompt'])).toEqual([]);
    expect((await listSessions(place))[0]).toMatchObject({ status: 'cancelled' });
  });
});

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  function open(words: readonly string[], { place, server }: At): Promise<Terminal> {
    return openTerminal([process.execPath, MAIN, ...words], { env: toEnv({ place, server }), cwd: place.workspace });
  }

  test(
    'an approval is asked inline, errors keep the chat, and Ctrl-D ends it with exit 0',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(WRITE);
      await using terminal = await open(['chat', '--approve', 'ask'], { place, server });
      await terminal.shows('klaus>');
      await terminal.type('/cots', 'Enter');
      await terminal.shows('/cost');
      await terminal.type('write it', 'Enter');
      await focusQuestion(terminal);
      await terminal.type('y');
      await terminal.shows(/A sentence\.[^]*klaus>$/m);
      expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('brand new\n');
      await terminal.type('C-d');
      expect(await terminal.exitCode()).toBe(0);
    },
  );

  test('Ctrl-C cancels the run, clears a line, and ends the chat at an empty one', { tags: ['long'] }, async () => {
    using place = createTestHome();
    const hang = { kind: 'hang', after: 0, keepAlive: true, always: true } as const;
    await using server = await startServer({
      steps: [
        TITLE,
        { when: { user: 'second' }, reply: { text: 'A sentence.' } },
        { when: { user: 'first' }, reply: { text: 'never' }, faults: [hang] },
      ],
    });
    await using terminal = await open(['chat'], { place, server });
    await terminal.shows('klaus>');
    await terminal.type('first', 'Enter');
    await terminal.shows('… thinking');
    await terminal.type('C-c');
    await terminal.shows(/Ctrl-C[^]*Ctrl-C[^]*klaus>$/m);
    await terminal.type('discarded');
    await terminal.shows('discarded');
    await terminal.type('C-c');
    await terminal.shows('^C');
    await terminal.type('second', 'Enter');
    await terminal.shows(/A sentence\.[^]*klaus>$/m);
    expect(lastPrompts(server, ['discarded', 'second'])).toEqual(['second']);
    await terminal.type('C-c');
    expect(await terminal.exitCode()).toBe(0);
    expect((await listSessions(place))[0]).toMatchObject({ status: 'done' });
  });

  test(
    'lines that end with a backslash and pasted lines are one prompt; the arrow keys recall earlier ones',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(TALK);
      await chat(['from before'], { place, server });
      await using terminal = await open(['chat'], { place, server });
      await terminal.shows('klaus>');
      await terminal.type('Up');
      await terminal.shows('klaus> from before');
      await terminal.type(' again\\', 'Enter');
      await terminal.shows('…');
      await terminal.type('\u001b[200~pasted', 'Enter', 'text\u001b[201~');
      await terminal.shows('… text');
      await terminal.type('Enter');
      await terminal.shows(/A sentence\.[^]*klaus>$/m);
      expect(lastPrompts(server, [String.raw`from before again\npasted\ntext`])).toHaveLength(1);
    },
  );

  test(
    'a start without words is with Klaus itself, and the very first one creates agent-builder',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(TALK);
      await using first = await open([], { place, server });
      await first.shows('klaus>');
      await first.type('/quit', 'Enter');
      expect(await first.exitCode()).toBe(0);
      expect(await first.shows('/quit')).toContain(join(place.home, 'agents/agent-builder.md'));
      addAgent(place, 'talker');
      await chat(['hello'], { place, server }, ['talker']);
      await using second = await open([], { place, server });
      await second.shows('klaus>');
      // A new session begins with the mode that the user chose, in any program.
      await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
      await klaus.chooseMode('ask', { by: 'test' });
      await second.type('/clear', 'Enter');
      await second.type('/capabilities', 'Enter');
      await second.shows('Mode ask');
    },
  );

  test('words without a command are still a prompt', async () => {
    using place = createTestHome();
    await using server = await startServer(TALK);
    await using terminal = await open(['say', 'a', 'sentence'], { place, server });
    expect(await terminal.exitCode()).toBe(0);
    expect(await terminal.shows('klaus --session')).toContain('A sentence.');
  });
});

test('without a terminal, no words are no chat', async () => {
  using place = createTestHome();
  expect(await runKlaus([], { place })).toMatchObject({ code: 2, stdout: '' });
});
