// Covers apps/cli: runs, options, exit codes and JSON of the command line.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { listSessions, runKlaus, startKlaus, startServer, toEvents, SOURCES } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const ANSWER: Script = { steps: [{ reply: { text: 'All is well.' } }] };

const READ: Script = {
  steps: [
    { reply: { text: 'I look first.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { reply: { text: 'It says: {{result}}' } },
  ],
};

const WRITE: Script = {
  steps: [
    { reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1, result: 'new.txt' }, reply: { text: 'Written.' } },
    { when: { turn: 1 }, reply: { text: 'I was not allowed to.' } },
  ],
};

/** A command that the test ends. */
const WAIT_FOR_GO = 'until [ -e go ]; do sleep 0.05; done';

/** Reads without end. */
const LOOP: Script = { steps: [], fallback: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } };

const HANG: Script = {
  steps: [{ reply: { text: 'never' }, faults: [{ kind: 'hang', after: 0, keepAlive: true, always: true }] }],
};

test('the answer goes to standard output and the progress to standard error', async () => {
  using place = createTestHome();
  await using server = await startServer(READ);
  const { code, stdout, stderr } = await runKlaus(['read the readme'], { place, server });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'It says: # Test\n\n' });
  expect(stderr).toContain('✓ read_file README.md');
  expect(stderr).toContain('I look first.');
  expect(stderr).toMatch(/\b2 turns\b.*\b1 .*\btokens\b/);
  expect(stderr).toMatch(/klaus --session 0[0-9A-Z]{25}/);
  // Neither is a terminal: no colours and no animation.
  expect(stdout + stderr).not.toContain('\u001b');
});

test('--plain prints words instead of signs', async () => {
  using place = createTestHome();
  await using server = await startServer(READ);
  const { stderr } = await runKlaus(['--plain', 'read the readme'], { place, server });
  expect(stderr).toMatch(/\w: read_file README\.md/);
  expect(stderr).not.toMatch(/[✓✗·…]/);
});

test('an answer that was cut at the output limit is printed completely', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: { text: 'All is w', stop: 'max_tokens' } }, { reply: { text: 'ell.' } }],
  });
  expect(await runKlaus(['how is it?'], { place, server })).toMatchObject({ code: 0, stdout: 'All is well.\n' });
});

test('only the last message without a call is the answer', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: 'Half an ans', stop: 'refusal' } }] });
  const refused = await runKlaus(['how is it?'], { place, server });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('refused');
});

test('--json prints the complete log as it becomes durable, and nothing else', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(READ);
  const first = await runKlaus(['run', '--json', 'read the readme'], { place, server });
  expect(first.code).toBe(0);
  expect(first.stderr).toBe('');
  const events = toEvents(first.stdout);
  expect(events[0]?.type).toBe('session.opened');
  expect(events.findLast((event) => event.type === 'run.finished')).toMatchObject({ outcome: 'done', toolCalls: 1 });

  const id = events[0]!.session;
  const shown = await runKlaus(['show', id, '--json'], { place });
  expect(shown.stdout).toBe(first.stdout);
});

test('--continue and --session continue the same session, and print only new events', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: { text: 'first' } }, { reply: { text: 'second' } }, { reply: { text: 'third' } }],
  });
  const first = toEvents((await runKlaus(['--json', 'one'], { place, server })).stdout);
  const second = await runKlaus(['--json', '--continue', 'two'], { place, server });
  const more = toEvents(second.stdout, first.length + 1);
  expect(more.every((event) => event.session === first[0]!.session)).toBe(true);
  const third = await runKlaus(['--session', first[0]!.session.slice(0, 20).toLowerCase(), 'three'], { place, server });
  expect(third).toMatchObject({ code: 0, stdout: 'third\n' });
  expect(await listSessions(place)).toHaveLength(1);
});

test(
  'piped input is context for a prompt, the prompt if there is none, and a file if it is long',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer({ steps: [], fallback: { text: 'ok' } });
    const sent = () => JSON.stringify(server.requests.findLast((request) => request.path.includes('messages'))?.body);

    await runKlaus(['what is this?'], { place, server, stdin: 'a heap of words' });
    expect(sent()).toContain('a heap of words');
    expect(sent()).toContain('stdin');
    expect(sent()).toContain('what is this?');

    for (const words of [[], ['-'], ['run', '-']]) {
      const { code } = await runKlaus(words, { place, server, stdin: 'count the stars\n' });
      expect(code).toBe(0);
      expect(sent()).toContain('count the stars');
    }

    const env = { AGENT_MAX_PROMPT_CHARS: '100' };
    const long = await runKlaus(['x'.repeat(101)], { place, server, env });
    expect(long).toMatchObject({ code: 2, stdout: '' });
    expect(long.stderr).toMatch(/\b101\b.*\b100\b/);
    expect(long.stderr).toContain('AGENT_MAX_PROMPT_CHARS');
    const attached = await runKlaus([], { place, server, env, stdin: 'y'.repeat(101) });
    expect(attached.code).toBe(0);
    expect(sent()).toContain('y'.repeat(101));

    expect(await runKlaus([], { place, server, stdin: '' })).toMatchObject({ code: 2, stdout: '' });
  },
);

test('without a terminal a question is refused, and the way to allow it is named: exit 6', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  const { code, stdout, stderr } = await runKlaus(['--approve', 'ask', 'write'], { place, server });
  expect({ code, stdout }).toEqual({ code: 6, stdout: 'I was not allowed to.\n' });
  expect(stderr).toContain('--on-ask wait');
  expect(stderr).toContain('--approve edits');
  expect(() => readFileSync(join(place.workspace, 'new.txt'))).toThrow('ENOENT');
});

test(
  '--on-ask wait parks the run; another process approves it and continues: exit 8, then 0',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const parked = await runKlaus(['--approve', 'ask', '--on-ask', 'wait', 'write'], { place, server });
    expect(parked).toMatchObject({ code: 8, stdout: '' });
    const approval = /klaus approve ([0-9A-Z]{26})/.exec(parked.stderr)?.[1] ?? '';

    const listed = await runKlaus(['approvals'], { place });
    expect(listed.stdout).toContain(approval);
    expect(listed.stdout).toContain('+new');
    expect((await listSessions(place))[0]?.status).toBe('waiting');

    const approved = await runKlaus(['approve', approval], { place, server });
    expect(approved).toMatchObject({ code: 0, stdout: 'Written.\n' });
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('new\n');
    expect((await runKlaus(['approvals', '--json'], { place })).stdout).toBe('');

    const late = await runKlaus(['reject', approval], { place, server });
    expect(late).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/\bapproved\b.*\bcli\b/) });
  },
);

test('a rejection from another process reaches the model with its note', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  const parked = await runKlaus(['--approve', 'ask', '--on-ask', 'wait', 'write'], { place, server });
  const approval = /klaus reject ([0-9A-Z]{26})/.exec(parked.stderr)?.[1] ?? '';
  const rejected = await runKlaus(['reject', approval, '--note', 'wrong folder'], { place, server });
  expect(rejected).toMatchObject({ code: 6, stdout: 'I was not allowed to.\n' });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('wrong folder');
});

const ENDS: readonly { name: string; code: number; script: Script; options?: readonly string[] }[] = [
  { name: '1 when the model refuses', code: 1, script: { steps: [{ reply: { text: 'No.', stop: 'refusal' } }] } },
  { name: '4 when the model fails after all retries', code: 4, script: failing(500) },
  { name: '3 when the key is refused', code: 3, script: failing(401) },
  { name: '5 at the turn limit', code: 5, script: READ, options: ['--max-turns', '1'] },
  { name: '5 at the tool-call limit', code: 5, script: LOOP, options: ['--max-tool-calls', '2'] },
  { name: '5 at the money limit', code: 5, script: READ, options: ['--budget-usd', '0.000001'] },
  { name: '5 at the token limit', code: 5, script: READ, options: ['--budget-tokens', '10'] },
  { name: '9 when the time is up', code: 9, script: HANG, options: ['--timeout', '1'] },
];

function failing(status: number): Script {
  return { steps: [{ reply: {}, faults: [{ kind: 'status', status, always: true }] }] };
}

for (const { cases, tags } of splitCases(ENDS, 4))
  test.each(cases)('exit $name', { tags }, async ({ code, script, options = [] }) => {
    using place = createTestHome();
    await using server = await startServer(script);
    const ended = await runKlaus([...options, 'do it'], { place, server });
    expect(ended).toMatchObject({ code, signal: null });
    // Never a stack trace.
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    // A run that ended early is stored completely.
    expect((await listSessions(place))[0]?.status).not.toBe('interrupted');
  });

test('exit 3 without any key names all variables; exit 7 without a sandbox', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  const keyless = await runKlaus(['hello there'], { place, env: { AGENT_MODEL: 'opus' } });
  expect(keyless).toMatchObject({ code: 3, stdout: '' });
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY']) {
    expect(keyless.stderr).toContain(name);
  }
  const bare = await runKlaus(['--sandbox', 'docker', 'hello there'], {
    place,
    server,
    env: { DOCKER_ENABLED: 'false' },
  });
  expect(bare).toMatchObject({ code: 7, stdout: '' });
  expect(await listSessions(place)).toEqual([]);
});

test('--effort and --temperature reach the model, or a notice says that it does not support them', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  const words = ['--effort', 'max', '--temperature', '0', '--json', 'hello there'];
  const { code, stdout } = await runKlaus(words, { place, server });
  expect(code).toBe(0);
  const events = toEvents(stdout);
  expect(events[0]).toMatchObject({ type: 'session.opened', effort: 'max', temperature: 0 });
  expect(events.filter(({ type }) => type === 'notice')).toEqual([
    expect.objectContaining({ level: 'warn', text: expect.stringContaining('temperature') as string }),
  ]);
  const sent = server.requests.map(({ json }) => json).find((json) => 'tools' in (json as object));
  expect(sent).toMatchObject({ output_config: { effort: 'max' } });
  expect(sent).not.toHaveProperty('temperature');
});

test('--fallback names the models that answer while the model cannot, and the output names the one that does', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      { when: { model: 'sonnet' }, reply: { text: 'never' }, faults: [{ kind: 'status', status: 529, always: true }] },
    ],
    fallback: { text: 'All is well.' },
  });
  const words = ['--fallback', 'anthropic/claude-haiku-4-5, opus', '--plain', 'hello there'];
  const { code, stdout, stderr } = await runKlaus(words, { place, server });
  expect(code).toBe(0);
  expect(stdout).toContain('All is well.');
  expect(stderr).toMatch(/claude-sonnet-5-5.*claude-haiku-4-5 answers instead/);
  const [row] = await listSessions(place);
  const events = toEvents((await runKlaus(['show', row!.id, '--json'], { place })).stdout);
  expect(events[0]).toMatchObject({ fallback: ['anthropic/claude-haiku-4-5', expect.stringMatching(/^anthropic\/./)] });
  const usage = await runKlaus(['usage', '--by', 'model', '--json'], { place });
  expect(usage.stdout).toContain('anthropic/claude-haiku-4-5');
});

test('exit 2 names the most similar command, option, choice or session', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  const { session } = toEvents((await runKlaus(['--json', 'hello there'], { place, server })).stdout)[0]!;
  const wrong = `${session.slice(0, 25)}${session.endsWith('0') ? '1' : '0'}`;
  for (const [words, hint] of [
    [['sesions'], 'Did you mean sessions?'],
    [['--jsn', 'x'], 'Did you mean --json?'],
    [['--approve', 'all', 'x'], 'plan, ask, edits, auto'],
    [['--budget-usd', 'ten', 'x'], 'number'],
    [['--effort', 'huge', 'x'], 'low, medium, high, max'],
    [['--temperature', '2.1', 'x'], '0 to 2'],
    [['--temperature', 'warm', 'x'], 'number'],
    [['--json', 'sessions'], 'klaus sessions'],
    [['show', wrong], session],
    [['--session', wrong, 'x'], session],
    [['--cwd', '/no/such/folder', 'x'], '/no/such/folder'],
    [['--cwd', '/', 'x'], '--allow-any-workspace'],
    [['--session', session, '--sandbox', 'host', 'x'], '--sandbox'],
    [['--session', session, '--effort', 'low', '--temperature', '0', 'x'], '--effort and --temperature'],
    [['resume', session], `--session ${session}`],
  ] as const) {
    const ended = await runKlaus(words, { place, server });
    expect({ words, ...ended }).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(hint) });
  }
});

test('an error with --json is one JSON object on standard error', async () => {
  using place = createTestHome();
  const { code, stdout, stderr } = await runKlaus(['show', 'nothing', '--json'], { place });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: { code: 'usage', exitCode: 2, message: expect.stringContaining('nothing'), hint: expect.any(String) },
  });
});

test('a stack trace is shown with KLAUS_DEBUG=1 and never without', async () => {
  using place = createTestHome();
  expect((await runKlaus(['show', 'nothing'], { place })).stderr).not.toContain('    at ');
  expect((await runKlaus(['show', 'nothing'], { place, env: { KLAUS_DEBUG: '1' } })).stderr).toContain('    at ');
});

test('one Ctrl-C ends the run cleanly, and it can be resumed: exit 130', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [{ reply: { text: 'There.' }, faults: [{ kind: 'hang', after: 0, keepAlive: true }] }],
  });
  const klaus = startKlaus(['--json', 'do it'], { place, server });
  await klaus.printed('stdout', '"turn.started"');
  klaus.kill('SIGINT');
  const ended = await klaus.ended;
  expect(ended).toMatchObject({ code: 130, signal: null });
  expect(toEvents(ended.stdout).findLast((event) => event.type === 'run.finished')).toMatchObject({
    outcome: 'cancelled',
  });

  const { session } = toEvents(ended.stdout)[0]!;
  expect(await runKlaus(['resume', session], { place, server })).toMatchObject({ code: 0, stdout: 'There.\n' });
});

test('a second signal exits at once: exit 130, and the session shows as interrupted', { tags: ['long'] }, async () => {
  using place = createTestHome();
  // The command ignores the request to end, so that the first signal is not enough.
  const script: Script = {
    steps: [
      {
        reply: {
          calls: [{ name: 'run_command', input: { command: "trap '' TERM; echo up; while :; do sleep 1; done" } }],
        },
      },
    ],
  };
  await using server = await startServer(script);
  const klaus = startKlaus(['--json', 'do it'], { place, server });
  await klaus.printed('stdout', '"tool.started"');
  klaus.kill('SIGINT');
  klaus.kill('SIGTERM');
  expect(await klaus.ended).toMatchObject({ code: 130, signal: null });
});

test(
  'klaus cancel stops a run in another process, and klaus steer sends it a message',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(HANG);
    const klaus = startKlaus(['--json', 'do it'], { place, server });
    await klaus.printed('stdout', '"turn.started"');
    const [running] = await listSessions(place);
    expect(running?.status).toBe('running');

    const steered = await runKlaus(['steer', running!.id, 'and', 'hurry'], { place, server });
    expect(steered).toMatchObject({ code: 0, stdout: '' });
    expect(steered.stderr).toContain(running!.id);
    const resumed = await runKlaus(['resume', running!.id], { place, server });
    expect(resumed).toMatchObject({ code: 9, stdout: '' });
    expect(resumed.stderr).toContain('klaus message');

    expect(await runKlaus(['cancel', running!.id], { place, server })).toMatchObject({ code: 0 });
    expect(await klaus.ended).toMatchObject({ code: 130 });
  },
);

test('a reader that goes away stops a --json run, and only ends a listing', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(LOOP);
  const klaus = startKlaus(['--json', '--max-tool-calls', '0', '--budget-tokens', '0', 'do it'], { place, server });
  await klaus.printed('stdout', '"tool.finished"');
  klaus.closeStdout();
  expect(await klaus.ended).toMatchObject({ code: 130, signal: null, stderr: '' });
  const [session] = await listSessions(place);
  expect(session?.status).toBe('cancelled');

  const listing = startKlaus(['show', session!.id, '--json'], { place });
  listing.closeStdout();
  expect(await listing.ended).toMatchObject({ code: 0, stderr: '' });
});

test('a message to a session that another process holds is taken by that process', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      { reply: { calls: [{ name: 'run_command', input: { command: WAIT_FOR_GO } }] } },
      { reply: { text: 'first done' } },
      { reply: { text: 'second done' } },
    ],
  });
  const klaus = startKlaus(['--json', 'the first'], { place, server });
  await klaus.printed('stdout', '"tool.started"');
  const [running] = await listSessions(place);
  const handed = await runKlaus(['--session', running!.id, 'the second'], { place, server });
  expect(handed).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(running!.id) });
  writeFileSync(join(place.workspace, 'go'), '');
  const ended = await klaus.ended;
  expect(ended.code).toBe(0);
  expect(toEvents(ended.stdout).filter((event) => event.type === 'run.finished')).toHaveLength(2);
});

test('--version loads nothing, and --help nothing of the engine', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const loaded = async (words: readonly string[]) => {
    const folder = join(place.home, '..', `coverage-${words[0]}`);
    const options = { place, program: SOURCES, env: { NODE_V8_COVERAGE: folder } };
    expect(await runKlaus(words, options)).toMatchObject({ code: 0, stderr: '' });
    const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const urls = reports.flatMap((text) =>
      (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
    );
    return urls
      .filter((url) => url.startsWith('file:'))
      .map((url) => url.replace(/^.*\/(?=(apps|sdk|core|adapters|node_modules)\/)/, ''));
  };
  expect((await loaded(['--version'])).toSorted()).toEqual(['apps/cli/main.ts', 'sdk/version.ts']);
  const help = await loaded(['--help']);
  expect(help).toContain('apps/cli/program/program.ts');
  const light =
    /^(adapters\/system\/image-head|core\/(conversation\/output-part|protocol\/(message-of|optional|pluralize|quote-shell-word))|sdk\/(version|message-of|optional|image-part|quote-shell-word|transcript\/))/;
  expect(help.filter((path) => /^(core|adapters|sdk)\//.test(path) && !light.test(path))).toEqual([]);
});

test('sessions can be searched, shown and exported', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(READ);
  const { session } = toEvents((await runKlaus(['--json', 'read the readme'], { place, server })).stdout)[0]!;
  expect((await runKlaus(['sessions', 'readme'], { place })).stdout).toContain(session);
  expect((await runKlaus(['sessions', 'giraffe'], { place })).stdout).toBe('');
  const shown = (await runKlaus(['show', session.slice(0, 24)], { place })).stdout;
  expect(shown).toMatch(/^\S.*:\nread the readme$/m);
  expect(shown).toContain('read_file README.md: ok');
  const markdown = (await runKlaus(['export', session], { place })).stdout;
  expect(markdown).toMatch(/^## .+\n\nread the readme$/m);
  expect(markdown).toContain('### `read_file README.md`');
  const document = JSON.parse((await runKlaus(['export', session, '--format', 'json'], { place })).stdout) as {
    session: { id: string };
    events: unknown[];
  };
  expect(document.session.id).toBe(session);
  expect(toEvents(document.events.map((event) => `${JSON.stringify(event)}\n`).join(''))[0]?.type).toBe(
    'session.opened',
  );
});

test('the database can be counted, verified, cleared and recovered', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['hello there'], { place, server });
  const stats = JSON.parse((await runKlaus(['db', 'stats', '--json'], { place })).stdout) as {
    tables: { name: string; rows: number }[];
  };
  expect(stats.tables.find((table) => table.name === 'sessions')).toEqual({ name: 'sessions', rows: 1 });
  expect(await runKlaus(['db', 'verify'], { place })).toMatchObject({ code: 0 });
  expect(await runKlaus(['db', 'clear-sessions', '--older-than', '1', '--yes'], { place })).toMatchObject({ code: 0 });
  expect(await listSessions(place)).toHaveLength(1);
  const unsure = await runKlaus(['db', 'clear-sessions'], { place });
  expect(unsure).toMatchObject({ code: 2 });
  expect(unsure.stderr).toContain('--yes');
  expect(await runKlaus(['db', 'clear-sessions', '--yes'], { place })).toMatchObject({ code: 0 });
  expect(await listSessions(place)).toEqual([]);

  writeFileSync(join(place.home, 'klaus.db'), 'this is no database, and long enough to be sure of that'.repeat(50));
  const broken = await runKlaus(['sessions'], { place });
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toContain('klaus.db');
  expect(broken.stderr).toContain('klaus db recover');
  expect(await runKlaus(['db', 'recover'], { place })).toMatchObject({ code: 0 });
  expect(await runKlaus(['sessions'], { place })).toMatchObject({ code: 0 });
});

test('klaus config shows every source and no secret; klaus doctor lists its checks', async () => {
  using place = createTestHome();
  const env = { OPENAI_API_KEY: 'sk-very-secret-value-0123456789', KLAUS_BUDGET_USD: '3' };
  const config = await runKlaus(['config'], { place, env });
  expect(config.stdout).toMatch(/limits\.usd +3 +environment/);
  expect(config.stdout).not.toContain('very-secret');
  const doctor = await runKlaus(['doctor', '--json'], { place, env });
  expect(doctor.stdout).not.toContain('very-secret');
  const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; status: string }[] };
  const names = findings.map((finding) => finding.name);
  expect(names).toEqual(
    expect.arrayContaining(['node', 'git', 'ripgrep', 'sandbox bubblewrap', 'keys', 'home', 'database', 'disk space']),
  );
  // doctor reports a wrong setting, and does not fail itself.
  const wrong = await runKlaus(['doctor'], { place, env: { KLAUS_BUDGET_USD: 'lots' } });
  expect(wrong.code).toBe(hasBubblewrap ? 3 : 7);
  expect(wrong.stdout).toContain('KLAUS_BUDGET_USD');
});

test('klaus model-server plays a script for another process until it is stopped', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const script = join(place.workspace, 'script.json');
  writeFileSync(script, JSON.stringify(ANSWER));
  const server = startKlaus(['model-server', '--script', script, '--record', join(place.workspace, 'record.ndjson')], {
    place,
  });
  await server.printed('stdout', '\n');
  await server.printed('stderr', 'ANTHROPIC_BASE_URL=');
  const url = /http:\/\/127\.0\.0\.1:\d+/;
  const answer = runKlaus(['--model', `scripted/${script}`, 'hello there'], { place });
  expect(await answer).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  server.kill('SIGTERM');
  const ended = await server.ended;
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(url);
});

test(
  'the usual short options: -p, -m, -C and -c; sessions --here lists those of this folder',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    using other = createTestHome();
    await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
    const klaus = (...words: string[]) => runKlaus(words, { place, server });
    const model = 'anthropic/claude-haiku-4-5';
    expect(await klaus('-C', other.workspace, '-m', model, '-p', 'say hello')).toMatchObject({ code: 0 });
    expect(await klaus('say hello')).toMatchObject({ code: 0 });
    expect(await klaus('-c', 'thanks')).toMatchObject({ code: 0 });
    const rows = toRows((await klaus('sessions', '--json')).stdout);
    expect(rows.map(({ workspace }) => workspace)).toEqual([place.workspace, other.workspace]);
    expect(rows[1]).toMatchObject({ model });
    expect(toRows((await klaus('sessions', '--here', '--json')).stdout)).toEqual([rows[0]]);
  },
);

test('serve --help of a clone builds no page', () => {
  const launcher = join(import.meta.dirname, '../../klaus');
  const { status, stdout, stderr } = spawnSync(launcher, ['serve', '--help'], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stderr).not.toContain('Building');
  expect(stdout).toContain('--port');
});

function toRows(text: string): { workspace: string; model: string }[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { workspace: string; model: string });
}
