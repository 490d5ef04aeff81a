// Covers apps/cli/output, apps/cli/prompt: the terminal: questions, keys, screen.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script, StartedModelServer } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { listSessions, MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { focusQuestion, hasTmux, openTerminal, QUESTION, REASON, type Terminal } from '../fixtures/terminal.ts';

const WRITE: Script = {
  steps: [
    {
      reply: {
        text: 'A new file.',
        calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'brand new\n' } }],
      },
    },
    { when: { turn: 1, result: 'new.txt' }, reply: { text: 'It is written.' } },
    { when: { turn: 1 }, reply: { text: 'I was not allowed to.' } },
  ],
};

function open(
  words: readonly string[],
  { place, server, env }: { place: TestHome; server: StartedModelServer; env?: Record<string, string> },
): Promise<Terminal> {
  return openTerminal([process.execPath, MAIN, ...words], {
    env: toEnv({ place, server, ...(env && { env }) }),
    cwd: place.workspace,
  });
}

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  test('an approval shows the diff, takes one key, and the answer streams once', async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    const asked = await focusQuestion(terminal);
    expect(asked).toContain('A new file.');
    expect(asked).toContain('+brand new');
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
    // v shows everything again.
    await terminal.type('v');
    await terminal.shows(/\+brand new[\s\S]*\+brand new[\s\S]*\]\s*$/);
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    const end = await terminal.shows('klaus --session');
    expect(end.match(/\+brand new/g)).toHaveLength(2);
    expect(end.match(/It is written\./g)).toHaveLength(1);
    expect(end).toMatch(/\bapproved\b.*\bcli\b/);
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('brand new\n');
  });

  test('content that cannot be shown is named before the answer', async () => {
    using place = createTestHome({ 'logo.bin': 'a\0b' });
    const calls = [{ name: 'write_file', input: { path: 'logo.bin', content: 'text\n' } }];
    await using server = await startServer({
      steps: [{ when: { turn: 0 }, reply: { calls } }],
      fallback: { text: 'Ok.' },
    });
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    expect(await focusQuestion(terminal)).toMatch(/not shown: logo\.bin/);
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    expect(await terminal.exitCode()).toBe(6);
    expect(readFileSync(join(place.workspace, 'logo.bin'), 'utf8')).toBe('a\0b');
  });

  test('n rejects: exit 6', async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    await focusQuestion(terminal);
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    expect(await terminal.exitCode()).toBe(6);
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
  });

  test('after n a reason can be entered for the model; Ctrl-C stops', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const words = ['--approve', 'ask', 'write'];
    await using first = await open(words, { place, server });
    await focusQuestion(first);
    await first.type('n');
    await first.shows(REASON);
    await first.type('use tabs, bitte schön', 'Enter');
    await first.exitCode();
    expect(server.requests.at(-1)!.body).toContain('use tabs, bitte schön');
    await using second = await open(words, { place, server });
    await focusQuestion(second);
    await second.type('n');
    await second.shows(REASON);
    await second.type('C-c');
    expect(await second.exitCode()).toBe(130);
  });

  test('q leaves the question open: exit 8, and it can be approved later', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    await focusQuestion(terminal);
    await terminal.type('q');
    expect(await terminal.exitCode()).toBe(8);
    const approval = /klaus approve ([0-9A-Z]{26})/.exec(await terminal.shows('klaus approve'))?.[1] ?? '';
    expect(await runKlaus(['approve', approval], { place, server })).toMatchObject({
      code: 0,
      stdout: 'It is written.\n',
    });
  });

  test('Ctrl-C at a question cancels the run: exit 130', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    await focusQuestion(terminal);
    await terminal.type('C-c');
    expect(await terminal.exitCode()).toBe(130);
    expect((await listSessions(place))[0]?.status).toBe('cancelled');
  });

  test('Ctrl-C at a question stops also with messages in the inbox', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    await focusQuestion(terminal);
    const { id } = (await listSessions(place))[0]!;
    await runKlaus(['steer', id, 'and also this'], { place, server });
    await terminal.type('C-c');
    expect(await terminal.exitCode()).toBe(130);
    await terminal.shows(new RegExp(`\\bmessage\\b[^]*klaus resume ${id}`));
    const before = server.requests.length;
    expect((await listSessions(place))[0]).toMatchObject({ id, status: 'cancelled' });
    await runKlaus(['resume', id], { place, server });
    expect(server.requests.slice(before).some(({ body }) => body.includes('and also this'))).toBe(true);
  });

  test('Ctrl-C while the model is silent cancels the run: exit 130', async () => {
    using place = createTestHome();
    const hang = { kind: 'hang', after: 0, keepAlive: true, always: true } as const;
    await using server = await startServer({ steps: [{ reply: { text: 'never' }, faults: [hang] }] });
    await using terminal = await open(['run', 'wait'], { place, server });
    await terminal.shows('… thinking');
    await terminal.type('C-c');
    expect(await terminal.exitCode()).toBe(130);
    const end = await terminal.shows('klaus resume');
    // What a second one would do, and why the run ended.
    expect(end).toMatch(/\bCtrl-C\b[^]*\bCtrl-C\b/);
    expect(end).not.toContain('thinking');
  });

  test('typed and pasted text answers nothing, before a question and while it is shown', async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--approve', 'ask', 'write'], { place, server });
    await terminal.shows(QUESTION);
    for (const key of ['y', 's', 'p', 'n', 'Enter', 'Space', 'Escape']) await terminal.type(key);
    await terminal.type('yes always', 'Enter');
    expect(await terminal.shows(QUESTION)).not.toContain('It is written.');
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
    // An answer for later calls too needs Enter.
    await focusQuestion(terminal);
    await terminal.type('s');
    await terminal.shows('Enter confirms');
    await terminal.type('y');
    await terminal.shows(/\]\s*$/);
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
    await terminal.type('s');
    await terminal.shows(/Enter confirms[^\]]*$/);
    await terminal.type('Enter');
    expect(await terminal.exitCode()).toBe(0);
    expect(
      await runKlaus(['approvals', '--given', (await listSessions(place))[0]!.id], { place, server }),
    ).toMatchObject({
      stdout: expect.stringContaining('session'),
    });
  });

  test('a key typed before the question does not answer it', async () => {
    using place = createTestHome();
    const wait = { name: 'run_command', input: { command: 'until [ -e go ]; do sleep 0.05; done' } };
    const write = { name: 'write_file', input: { path: 'new.txt', content: 'brand new\n' } };
    await using server = await startServer({
      steps: [{ reply: { calls: [wait, write] } }, { reply: { text: 'I see.' } }],
    });
    await using terminal = await open(['run', 'write'], {
      place,
      server,
      env: { AGENT_REQUIRE_PATCH_APPROVAL: 'true' },
    });
    await terminal.shows('… run_command');
    await terminal.type('y');
    writeFileSync(join(place.workspace, 'go'), '');
    await focusQuestion(terminal);
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    expect(await terminal.exitCode()).toBe(6);
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
  });

  test('at a limit the user is offered more', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['--max-turns', '1', 'write'], { place, server });
    const asked = await focusQuestion(terminal);
    expect(asked).toMatch(/\b1\b.*\b1\b.*\bturns\b/);
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    await terminal.shows('It is written.');
  });

  test('a piped standard input leaves the keyboard free for approvals', async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const env = toEnv({ place, server });
    const line = `echo context | ${process.execPath} ${MAIN} --approve ask write`;
    await using terminal = await openTerminal(['sh', '-c', line], { env, cwd: place.workspace });
    await focusQuestion(terminal);
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('context');
  });

  test('a reply that breaks off in mid-stream is marked, and the complete answer is printed once', async () => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [{ reply: { text: 'one two three four five' }, chunk: 4, pace: 5, faults: [{ kind: 'reset', after: 5 }] }],
    });
    await using terminal = await open(['run', 'count'], { place, server });
    expect(await terminal.exitCode()).toBe(0);
    const end = await terminal.shows('klaus --session');
    expect(end).toContain('interrupted');
    expect(end.match(/one two three four five/g)).toHaveLength(1);
  });

  test('the colours of a program end where it resets them, and no others are shown', async () => {
    using place = createTestHome();
    await using server = await startServer({ steps: [] });
    const sink = join(import.meta.dirname, '../../apps/cli/output/sink.ts');
    const text = '\u001b[32mgreen\u001b[0m \u001b[1;4;38;5;9mplain\u001b[m end\n';
    const program = `import(${JSON.stringify(sink)}).then(({ err }) => err.write(${JSON.stringify(text)}))`;
    await using terminal = await openTerminal([process.execPath, '-e', program], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
    });
    await terminal.shows('green plain end');
    expect(await terminal.painted()).toMatch(/\u001b\[32mgreen\u001b\[39m plain end/);
    expect(await terminal.exitCode()).toBe(0);
  });

  test('text of a model cannot act on the terminal or hide from the reader', async () => {
    using place = createTestHome();
    const command = 'echo safe\u001b[2K\u001b[1A\r # \u202Eharmless';
    await using server = await startServer({
      steps: [
        { reply: { text: '\u001b]0;owned\u0007Hello', calls: [{ name: 'run_command', input: { command } }] } },
        { reply: { text: 'bye' } },
      ],
    });
    await using terminal = await open(['--approve', 'ask', 'do it'], { place, server });
    const asked = await focusQuestion(terminal);
    expect(asked).toContain('<1b>]0;owned<07>Hello');
    expect(asked).toContain('$ echo safe<1b>[2K<1b>[1A<0d> # <202e>harmless');
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    await terminal.exitCode();
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('colours with %o: %s', async (env, colored) => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    await using terminal = await open(['run', 'write'], { place, server, env });
    expect(await terminal.exitCode()).toBe(0);
    await terminal.shows('klaus --session');
    expect((await terminal.painted()).includes('\u001b[')).toBe(colored);
  });
});
