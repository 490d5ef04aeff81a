// Covers apps/claude-code/wrap, adapters/models/proxy, core/agent/runner, adapters/sandboxes/bubblewrap: klaus wrap with an agent of the tests.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { listSessions, MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { focusQuestion, hasTmux, openTerminal, REASON } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { describeWrapped, toWrapEnv } from './batteries.ts';
import { FIXTURE } from './programs.ts';

describeWrapped(FIXTURE);

const NONE = { steps: [] };

async function wrapShell(place: TestHome, script: string, stdin?: string) {
  await using server = await startServer(NONE);
  const env = toWrapEnv({ server, program: FIXTURE });
  return await runKlaus(['wrap', '--', 'sh', '-c', script], { place, server, env, ...(stdin ? { stdin } : {}) });
}

test('the program has the standard streams, and its exit code is that of Klaus', async () => {
  using place = createTestHome();
  const ended = await wrapShell(place, 'read line; echo "out $line"; echo err >&2; exit 7', 'typed\n');
  expect(ended).toMatchObject({ code: 7, stdout: 'out typed\n', stderr: 'err\n' });
  expect((await wrapShell(place, 'kill -TERM $$')).code).toBe(143);
});

test('it reaches nothing but models, and gets no key', async () => {
  using place = createTestHome();
  const { stdout } = await wrapShell(
    place,
    'curl -sS -m 5 https://example.com 2>&1; curl -s -o /dev/null -w "%{http_code}\\n" -X POST -d {} http://127.0.0.1:3128/anthropic/v1/files; env',
  );
  expect(stdout).toMatch(/Could not resolve|Failed to connect|Couldn't/);
  expect(stdout).toContain('404\n');
  expect(stdout).not.toContain('sk-');
});

test('a secret in a request is replaced by a placeholder', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Fine.' } });
  const env = toWrapEnv({ server, program: FIXTURE });
  const key = ['ghp', 'x7Kd93mQpL2vR8tYwZ4bN6cF1sJ5hG0aUeTi'].join('_');
  const body = JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: key }],
  });
  writeFileSync(join(place.workspace, 'body.json'), body);
  const post = 'curl -s -d @body.json $ANTHROPIC_BASE_URL/v1/messages';
  const ended = await runKlaus(['wrap', '--', 'sh', '-c', post], { place, server, env });
  expect(ended.stdout).toContain('Fine.');
  expect(server.requests[0]!.body).toContain('[secret:');
  expect(server.requests[0]!.body).not.toContain(key);
});

test('the prompts of the user are in the log once, without what the program adds', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Fine.' } });
  const env = toWrapEnv({ server, program: FIXTURE });
  const post = 'curl -s -d @$0 $ANTHROPIC_BASE_URL/v1/messages';
  const said = (texts: readonly string[]) => ({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) });
  const first = said(['<note>Added by the program.</note>', 'The first prompt.']);
  const second = [first, { role: 'assistant', content: 'Fine.' }, said(['The second prompt.'])];
  const tools = [{ name: 'bash', input_schema: { type: 'object' } }];
  for (const [index, messages] of [[first], [first], second].entries()) {
    const body = { model: 'claude-sonnet-5-5', max_tokens: 9, messages, tools };
    writeFileSync(join(place.workspace, `${index}.json`), JSON.stringify(body));
  }
  const script = [0, 1, 2].map((index) => `sh -c '${post}' ${index}.json`).join('; ');
  const { code } = await runKlaus(['wrap', '--', 'sh', '-c', script], { place, server, env });
  expect(code).toBe(0);
  const { id } = (await listSessions(place))[0]!;
  const events = toEvents((await runKlaus(['show', id, '--json'], { place })).stdout);
  const messages = ofType(events, 'message.added').map(({ message }) => message);
  const prompts = messages.filter(({ origin }) => origin === 'user').slice(1);
  expect(prompts.map(({ parts }) => parts)).toEqual([
    [{ type: 'text', text: 'The first prompt.' }],
    [{ type: 'text', text: 'The second prompt.' }],
  ]);
  const texts = messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts);
  expect(texts.filter((part) => part.type === 'text')).toHaveLength(3);
  // A prompt is recorded before its request.
  const at = (type: string) => events.findIndex((event) => event.type === type);
  expect(events.indexOf(ofType(events, 'message.added')[1]!)).toBeLessThan(at('model.requested'));
});

test('without the program nothing is opened', async () => {
  using place = createTestHome();
  await using server = await startServer(NONE);
  const { code, stderr } = await runKlaus(['wrap', '--', 'no-such-program'], { place, server });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no program') });
});

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  async function openShell(place: TestHome, url: string, words: readonly string[]) {
    const env = toEnv({
      place,
      env: { KLAUS_SANDBOX: '', ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-test-0a1b2c3d4e' },
    });
    return await openTerminal([process.execPath, MAIN, 'wrap', ...words], { env, cwd: place.workspace, columns: 90 });
  }

  test(
    'the program has a terminal of its own, with Ctrl-C and the size of the window',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer(NONE);
      const script =
        'trap "echo caught" INT; test -t 0 && tty; stty size; echo ready; sleep 1000; echo next; read line; echo "got $line"; exit 9';
      await using terminal = await openShell(place, server.url, ['--', 'sh', '-c', script]);
      const shown = await terminal.shows('ready');
      expect(shown).toMatch(/\/dev\/pts\/\d+\n50 90\n/);
      await terminal.type('C-c');
      await terminal.shows('next');
      await terminal.type('hello', 'Enter');
      await terminal.shows('got hello');
      expect(await terminal.exitCode()).toBe(9);
      expect(await terminal.shows('caught')).toContain('got hello');
    },
  );

  test('with --review its changes are applied as the user accepts them', { tags: ['long'] }, async () => {
    using place = createTestHome({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    await using server = await startServer(NONE);
    const script = 'echo 1 > a.txt; cat a.txt';
    await using terminal = await openShell(place, server.url, ['--review', '--', 'sh', '-c', script]);
    const asked = await focusQuestion(terminal);
    expect(asked).toContain('-one');
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    expect(await terminal.exitCode()).toBe(0);
    expect(await runKlaus(['sessions'], { place })).toMatchObject({ code: 0 });
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('with --review single hunks are accepted', { tags: ['long'] }, async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    using place = createTestHome({ 'a.txt': `${lines.join('\n')}\n`, 'b.txt': 'two\n' });
    await using server = await startServer(NONE);
    const script = "sed -i 's/^line 2$/first/; s/^line 27$/last/' a.txt; echo 2 > b.txt; echo 3 > c.txt";
    await using terminal = await openShell(place, server.url, ['--review', '--', 'sh', '-c', script]);
    expect(await focusQuestion(terminal)).toContain('h hunk by hunk');
    await terminal.type('h');
    // Two hunks of a.txt, then b.txt and c.txt.
    for (const [index, key] of ['n', 'y', 'n', 'y'].entries()) {
      await terminal.shows(new RegExp(`${index + 1} of 4: `));
      await terminal.type(key);
    }
    expect(await terminal.exitCode()).toBe(0);
    const read = (name: string) => readFileSync(join(place.workspace, name), 'utf8');
    expect(read('a.txt')).toBe(`${lines.join('\n').replace('line 27', 'last')}\n`);
    expect([read('b.txt'), read('c.txt')]).toEqual(['two\n', '3\n']);
    const { id } = (await listSessions(place))[0]!;
    const events = toEvents((await runKlaus(['show', id, '--json'], { place })).stdout);
    expect(ofType(events, 'approval.answered').map(({ answer }) => answer)).toEqual(['approved']);
    expect((await runKlaus(['undo', '--session', id], { place })).code).toBe(0);
    expect(read('a.txt')).toBe(`${lines.join('\n')}\n`);
    expect(existsSync(join(place.workspace, 'c.txt'))).toBe(false);
  });
});
