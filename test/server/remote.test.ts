// Covers apps/cli, apps/server/client: the command line at a server.
import { createServer } from 'node:http';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script, StartedModelServer } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { type Ended, runKlaus, startKlaus, startServer, toEnv, toEvents, MAIN } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { follow, type ServeProcess, startServeProcess, untilState } from '../fixtures/server.ts';
import { focusQuestion, hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

const WRITE: Script = {
  steps: [
    TITLE,
    {
      when: { turn: 0 },
      reply: {
        text: 'A new file.',
        calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'brand new\n' } }],
      },
    },
    { when: { turn: 1, result: 'new.txt' }, reply: { text: 'It is written.' } },
    { when: { turn: 1 }, reply: { text: 'I was not allowed to.' } },
  ],
};

/** @param pace Milliseconds between two pieces of an answer. */
const turns = (count: number, pace = 2): Script => ({
  steps: [
    TITLE,
    ...Array.from({ length: count }, (_, turn) => ({
      when: { turn },
      pace,
      chunk: 10,
      reply: {
        text: { repeat: `step ${turn} `, times: 20 },
        calls: [{ name: 'read_file', input: { path: 'README.md' } }],
      },
    })),
    { when: { turn: count }, reply: { text: 'Done.' } },
  ],
});

/** What a user elsewhere has: nothing of the server's state, only its address and its token. */
function elsewhere(place: TestHome, { url, headers }: Pick<ServeProcess, 'url' | 'headers'>): Record<string, string> {
  return {
    KLAUS_HOME: join(place.home, '..', 'elsewhere'),
    KLAUS_SERVER: url,
    KLAUS_SERVER_TOKEN: headers['authorization']!.replace('Bearer ', ''),
  };
}

async function stop({ process }: ServeProcess): Promise<void> {
  process.kill('SIGTERM');
  await process.ended;
}

/** Ids, times and money differ from run to run, and where it runs is said where it is elsewhere. */
function toWords(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('· works at '))
    .map((line) =>
      line
        .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, 'ID')
        .replaceAll(/\d+(\.\d+)? m?s\b/g, 'TIME')
        .replace(/checkpoint [0-9a-f]+/, 'checkpoint HASH')
        .replace('by server/cli', 'by cli'),
    );
}

interface ExitCase {
  script: Script;
  words: string[];
  code: number;
  env?: Record<string, string>;
}

const failing = (status: number): Script => ({
  steps: [{ reply: {}, faults: [{ kind: 'status', status, always: true }] }],
});

const EXITS: Record<string, ExitCase> = {
  'a task that is done': { script: WRITE, words: ['write'], code: 0 },
  'no approver': { script: WRITE, words: ['--approve', 'ask', 'write'], code: 6 },
  'a mode that does not allow it': { script: WRITE, words: ['--approve', 'plan', 'write'], code: 6 },
  'a question left open': { script: WRITE, words: ['--approve', 'ask', '--on-ask', 'wait', 'write'], code: 8 },
  'a limit': { script: WRITE, words: ['--max-turns', '1', 'write'], code: 5 },
  'a model that fails': { script: failing(500), words: ['write'], code: 4 },
  'a key that is refused': { script: failing(401), words: ['write'], code: 3 },
  'an unknown model': { script: WRITE, words: ['--model', 'no-such-model', 'write'], code: 3 },
  'a session that is not there': { script: WRITE, words: ['--session', '01J', 'write'], code: 2 },
  'no prompt': { script: WRITE, words: [], code: 2 },
};

describe('klaus run at a server', () => {
  for (const { cases, tags } of splitCases(Object.entries(EXITS), 3))
    test.each(cases)('ends like one of this machine: %s', { tags }, async (_, { script, words, code }) => {
      using here = createTestHome();
      using there = createTestHome();
      await using server = await startServer(script);
      const serve = await startServeProcess(there, server);
      const [local, remote] = await Promise.all([
        runKlaus(['run', ...words], { place: here, server }),
        runKlaus(['run', ...words], { place: there, server, env: elsewhere(there, serve) }),
      ]);
      await stop(serve);
      expect({ code: remote.code, stdout: remote.stdout }).toEqual({ code: local.code, stdout: local.stdout });
      expect(remote.code).toBe(code);
      // Where to look for a key is the other machine.
      const isHint = (line: string) => line.includes('klaus doctor');
      expect(toWords(remote.stderr).filter((line) => !isHint(line))).toEqual(
        toWords(local.stderr).filter((line) => !isHint(line)),
      );
    });

  test(
    'reads standard input, and resumes the latest session of the folder of the server',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer({
        steps: [
          TITLE,
          { when: { turn: 0 }, reply: { text: 'I see.' } },
          { when: { turn: 1 }, reply: { text: 'Yes.' } },
        ],
      });
      const serve = await startServeProcess(place, server);
      const env = elsewhere(place, serve);
      const words = ['--json', '--effort', 'low', '--temperature', '0', 'what is this?'];
      const first = await runKlaus(words, { place, server, env, stdin: 'a log\n' });
      expect(toEvents(first.stdout)[0]).toMatchObject({ type: 'session.opened', effort: 'low', temperature: 0 });
      const [opened] = toEvents(first.stdout);
      const second = await runKlaus(['--json', '--continue', 'and now?'], { place, server, env });
      await stop(serve);
      expect([first.code, second.code]).toEqual([0, 0]);
      const parts = toEvents(first.stdout).flatMap((event) =>
        event.type === 'message.added' && event.message.origin === 'user' ? event.message.parts : [],
      );
      expect(parts).toEqual([
        { type: 'text', text: 'what is this?' },
        { type: 'file', name: 'stdin', mediaType: 'text/plain', text: 'a log\n' },
      ]);
      const events = second.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Event);
      expect(new Set(events.map(({ session }) => session))).toEqual(new Set([opened?.session]));
      expect(events[0]?.seq).toBe(toEvents(first.stdout).length + 1);
    },
  );

  test('a server that is killed and begun again in the middle loses nothing and doubles nothing', async () => {
    using place = createTestHome();
    await using server = await startServer(turns(12));
    const env = { AGENT_TOKEN_BUDGET: '0' };
    let serve = await startServeProcess(place, server, { env });
    const { port } = new URL(serve.url);
    const run = startKlaus(['--json', 'go'], { place, server, env: elsewhere(place, serve) });
    for (const turn of [3, 8]) {
      await run.printed('stdout', `"type":"turn.started","run":"`);
      await run.printed('stdout', `"turn":${turn},"model"`);
      serve.process.kill('SIGKILL');
      await serve.process.ended;
      serve = await startServeProcess(place, server, { env, words: ['--port', port] });
    }
    const ended = await run.ended;
    const events = toEvents(ended.stdout);
    const { events: log } = await serve.client.log({ params: { id: events[0]!.session } });
    await stop(serve);
    expect(ended.code).toBe(0);
    expect(events).toEqual(log);
    expect(events.at(-1)?.type).toBe('session.changed');
    // For each of both restarts, the loss and the return of the connection.
    expect(ended.stderr.split(serve.url).length - 1).toBeGreaterThanOrEqual(4);
  });

  test('a chat continues there, with its commands', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer({ ...WRITE, fallback: { text: 'A sentence.' } });
    const serve = await startServeProcess(place, server);
    const env = elsewhere(place, serve);
    const chat = (...lines: string[]) =>
      runKlaus(['chat', '--json'], { place, server, env, stdin: lines.map((line) => `${line}\n`).join('') });
    const first = await chat('write', 'and a second prompt');
    const events = toEvents(first.stdout);
    expect(first.code).toBe(0);
    expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(2);
    expect(events[0]).toMatchObject({ chat: true });
    const file = join(place.workspace, 'new.txt');
    expect(existsSync(file)).toBe(true);
    const second = await chat('/undo', '/cost', '/tools', '/model haiku', '/fork', 'a third prompt');
    expect(second.code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const [fork, original] = (await serve.client.sessions()).sessions;
    await stop(serve);
    expect(original!.id).toBe(events[0]!.session);
    expect(fork).toMatchObject({ forkedFrom: original!.id, model: expect.stringContaining('haiku') });
  });

  test('Ctrl-C stops the run there: exit 130, and the log says who it was', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [TITLE, { reply: { text: { repeat: 'word ', times: 2_000 } }, pace: 10, chunk: 10 }],
    });
    const serve = await startServeProcess(place, server);
    const run = startKlaus(['--json', 'go'], { place, server, env: elsewhere(place, serve) });
    await run.printed('stdout', '"type":"turn.started"');
    run.kill('SIGINT');
    const ended = await run.ended;
    await stop(serve);
    expect(ended.code).toBe(130);
    const finished = toEvents(ended.stdout).find((event) => event.type === 'run.finished');
    expect(finished).toMatchObject({ outcome: 'cancelled', reason: expect.stringContaining('Ctrl-C') });
  });

  test('--timeout stops it: exit 9', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [TITLE, { reply: { text: { repeat: 'word ', times: 2_000 } }, pace: 10, chunk: 10 }],
    });
    const serve = await startServeProcess(place, server);
    const ended = await runKlaus(['--timeout', '1', 'go'], { place, server, env: elsewhere(place, serve) });
    await stop(serve);
    expect(ended.code).toBe(9);
  });

  test('is cancelled from another client, and resumed', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [TITLE, { reply: { text: 'Done.' }, faults: [{ kind: 'hang', after: 0, keepAlive: true }] }],
    });
    const serve = await startServeProcess(place, server);
    const env = elsewhere(place, serve);
    const run = startKlaus(['--json', 'go'], { place, server, env });
    await run.printed('stdout', '"type":"turn.started"');
    const { session } = JSON.parse(run.text.stdout.split('\n')[0]!) as { session: string };
    const cancelled = await runKlaus(['cancel', session], { place, server, env });
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringContaining(session) });
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(toEvents(ended.stdout).find((event) => event.type === 'run.finished')).toMatchObject({
      outcome: 'cancelled',
      reason: expect.stringContaining('klaus cancel'),
    });
    // Without a run the answer is another one.
    const idle = await runKlaus(['cancel', session], { place, server, env });
    expect(idle).toMatchObject({ code: 0, stderr: expect.stringContaining(session) });
    expect(idle.stderr).not.toBe(cancelled.stderr);
    expect(await runKlaus(['resume', session], { place, server, env })).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const { length } = server.requests;
    const nothing = await runKlaus(['resume', session, '--json'], { place, server, env });
    await stop(serve);
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(nothing.stderr)).toMatchObject({ error: { code: 'usage' } });
    expect(server.requests).toHaveLength(length);
  });
});

describe('a question of a server', () => {
  test('that was approved once is remembered and revoked later, without another run', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    const env = elsewhere(place, serve);
    const klaus = (...words: string[]) => runKlaus(words, { place, server, env });
    const { session } = await serve.client.openSession({ body: { text: 'write', mode: 'ask' } });
    await untilState(serve.client, session, 'needs-you');
    const { id } = (await serve.client.approvals()).approvals[0]!;
    expect(await klaus('approve', id)).toMatchObject({ code: 0 });
    const given = async () => (await serve.client.givenApprovals({ params: { id: session } })).approvals;
    expect(await given()).toMatchObject([{ approval: id, scope: 'once' }]);
    const { length } = server.requests;
    expect(await klaus('approve', id, '--scope', 'session')).toMatchObject({ code: 0 });
    const [there, here] = await Promise.all([
      klaus('approvals', '--given', session, '--json'),
      runKlaus(['approvals', '--given', session, '--json'], { place, server }),
    ]);
    expect(there).toEqual(here);
    expect(JSON.parse(there.stdout)).toMatchObject({
      approval: id,
      scope: 'session',
      remembered: { tool: 'write_file', paths: ['new.txt'] },
    });
    expect(await runKlaus(['approve', id, '--scope', 'once'], { place, server })).toMatchObject({ code: 0 });
    expect(await given()).toMatchObject([{ approval: id, scope: 'once' }]);
    expect(server.requests).toHaveLength(length);
    await stop(serve);
  });

  test('is listed, answered hunk by hunk and shown to its end', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    const env = elsewhere(place, serve);
    const klaus = (...words: string[]) => runKlaus(words, { place, server, env });
    const asked = await klaus('--approve', 'ask', '--on-ask', 'wait', 'write');
    expect(asked.stderr).toMatch(/\bnew\.txt\b.*\n.*klaus approve [0-9A-Z]{26}/);
    const { id, session } = JSON.parse((await klaus('approvals', '--json')).stdout) as { id: string; session: string };
    const steered = await klaus('steer', session, 'and be quick');
    expect(steered).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(new RegExp(`klaus approve ${id}.*\\n.*\\bmessage\\b`)),
    });
    expect((await klaus('approvals')).stdout).toContain('+brand new');
    const approved = await klaus('approve', id, '--scope', 'project', '--json');
    expect(approved.code).toBe(0);
    expect(approved.stdout).toContain('"origin":"steer"');
    expect(approved.stdout).toContain('It is written.');
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('brand new\n');
    expect(approved.stdout).toContain('"by":"server/cli"');
    expect(await klaus('approve', id)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\bapproved\b.*\bserver\/cli\b/),
    });
    // Remembered approvals are listed as on the machine itself, and deleted from another client.
    const [there, here, json] = await Promise.all([
      klaus('approvals', '--remembered'),
      runKlaus(['approvals', '--remembered'], { place, server }),
      klaus('approvals', '--remembered', '--json'),
    ]);
    expect(there).toEqual(here);
    expect(JSON.parse(json.stdout)).toMatchObject({ approval: id, remembered: { tool: 'write_file' } });
    expect(await klaus('approvals', '--forget', id)).toMatchObject({ code: 0 });
    const [gone, unknown] = await Promise.all([klaus('approvals', '--remembered'), klaus('approvals', '--forget', id)]);
    expect(gone).toMatchObject({ code: 0, stdout: '' });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('--remembered') });

    // A test that is made there is written here, the same that is made here.
    rmSync(join(place.workspace, 'new.txt'));
    expect((await klaus('run', 'write')).code).toBe(0);
    const latest = (await serve.client.sessions()).sessions[0]!.id;
    const [made] = await Promise.all([
      klaus('export', latest, '--as', 'test', '--out', '../there'),
      runKlaus(['export', latest, '--as', 'test', '--out', '../here'], { place, server }),
    ]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('there: ') });
    for (const file of ['script.yaml', 'session.test.mjs', 'workspace/README.md']) {
      const read = (folder: string) => readFileSync(join(place.workspace, '..', folder, file), 'utf8');
      expect(read('there'), file).toBe(read('here'));
    }
    expect(await klaus('export', session, '--as', 'test')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('klaus replay'),
    });
    await stop(serve);
  });

  test.skipIf(!hasTmux)('is put to the person at the keyboard (needs tmux)', async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    const env = toEnv({ place, server, env: elsewhere(place, serve) });
    const words = [process.execPath, MAIN, '--approve', 'ask', 'write'];
    await using terminal = await openTerminal(words, { env, cwd: place.workspace });
    expect(await focusQuestion(terminal)).toContain('+brand new');
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    expect((await terminal.shows('klaus --session')).match(/It is written\./g)).toHaveLength(1);
    // Answered from the page, the question goes away by itself.
    await using second = await openTerminal(words, { env, cwd: place.workspace });
    await focusQuestion(second);
    const [question] = (await serve.client.approvals()).approvals;
    await serve.client.answer({ params: { id: question!.id }, body: { answer: 'rejected' } });
    expect(await second.exitCode()).toBe(6);
    await stop(serve);
  });
});

describe('says of what is there the same as on the machine itself', () => {
  async function compare(commands: (id: string) => string[][]): Promise<[there: Ended, here: Ended][]> {
    const pairs: [Ended, Ended][] = [];
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    const { session: id } = await serve.client.openSession({ body: { text: 'write' } });
    const followed = follow(serve.client, id);
    await followed.until('session.changed', ({ summary }) => summary !== undefined);
    await followed.stop();
    const env = elsewhere(place, serve);
    for (const words of commands(id)) {
      pairs.push(await Promise.all([runKlaus(words, { place, server, env }), runKlaus(words, { place, server })]));
    }
    await stop(serve);
    return pairs;
  }

  test('klaus sessions and klaus show, also with --grep', { tags: ['long'] }, async () => {
    const pairs = await compare((id) => [
      ['sessions'],
      ['sessions', 'nothing'],
      ['show', id],
      ['show', '--json', id],
      ['show', id, '--grep', 'brand new'],
      ['show', id, '--json', '--grep', 'brand'],
      ['show', id, '--grep', 'nowhere'],
    ]);
    for (const [there, here] of pairs) expect(there).toEqual(here);
  });

  test('klaus attention and klaus next', { tags: ['long'] }, async () => {
    const pairs = await compare((id) => [
      ['attention', '--json'],
      ['next', '--json'],
      ['attention', '--seen', id],
      ['attention'],
      ['next'],
    ]);
    for (const [there, here] of pairs) expect(there).toEqual(here);
    expect(pairs[0]![0].stdout).toMatch(/"kind":"done"/);
    expect(pairs[3]![0].stdout).toBe('');
  });

  test('klaus export and klaus usage', { tags: ['long'] }, async () => {
    const pairs = await compare((id) => [
      ['export', id],
      ['export', '--format', 'json', id],
      ['usage'],
      ['usage', id, '--json'],
    ]);
    for (const [there, here] of pairs) expect(there).toEqual(here);
  });

  test('klaus sessions --json, except what only the machine knows', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(WRITE);
    const serve = await startServeProcess(place, server);
    await serve.client.openSession({ body: {} });
    const env = elsewhere(place, serve);
    const [there, here] = await Promise.all([
      runKlaus(['sessions', '--json'], { place, server, env }),
      runKlaus(['sessions', '--json'], { place, server }),
    ]);
    await stop(serve);
    const { processes, project, ...own } = JSON.parse(here.stdout) as Record<string, unknown>;
    expect({ processes, project: typeof project }).toEqual({ processes: [], project: 'string' });
    expect(JSON.parse(there.stdout)).toMatchObject(own);
  });
});

describe('sessions in the background', () => {
  test('klaus start, message and interrupt act at the server', { tags: ['long'] }, async () => {
    using place = createTestHome();
    await using server = await startServer(turns(12, 20));
    const serve = await startServeProcess(place, server);
    const env = elsewhere(place, serve);
    const started = await runKlaus(['start', 'klaus', 'do it', '--detach'], { place, server, env });
    expect(started.code).toBe(0);
    const id = started.stdout.trim();
    const sent = await runKlaus(['message', id, 'more', '--json'], { place, server, env });
    expect(JSON.parse(sent.stdout)).toMatchObject({ session: id });
    const stopped = await runKlaus(['interrupt', id, '--json'], { place, server, env });
    expect(JSON.parse(stopped.stdout)).toEqual({ session: id, state: 'stopping' });
    const refused = await runKlaus(['attach', id, '--json'], { place, server, env });
    expect(refused.code).toBe(2);
    await stop(serve);
  });
});

describe('finds the server', () => {
  test(
    'by its Unix socket, and by its address where it is that of the own state folder: without a token',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      await using server = await startServer({ steps: [TITLE, { when: { turn: 0 }, reply: { text: 'Hello.' } }] });
      const serve = await startServeProcess(place, server);
      const socket = join(place.home, 'server', 'klaus.sock');
      const KLAUS_HOME = join(place.home, '..', 'elsewhere');
      const run = (server_: string, env: Record<string, string>) =>
        runKlaus(['--server', server_, 'write'], { place, server: server as StartedModelServer, env });
      expect(await run(`unix:${socket}`, { KLAUS_HOME })).toMatchObject({ code: 0, stdout: 'Hello.\n' });
      expect(await run(serve.url, {})).toMatchObject({ code: 0, stdout: 'Hello.\n' });
      // Another state folder has no business with that token.
      expect(await run(serve.url, { KLAUS_HOME })).toMatchObject({ code: 3 });
      const file = join(place.home, '..', 'token');
      writeFileSync(file, 'a-secret-of-the-test\n', { mode: 0o600 });
      const given = ['--server', serve.url, '--token-file', file, 'write'];
      expect(await runKlaus(given, { place, server, env: { KLAUS_HOME } })).toMatchObject({ code: 0 });
      await stop(serve);
    },
  );

  for (const { cases, tags } of splitCases(
    [
      ['ftp://127.0.0.1', 2, 'ftp://'],
      ['unix:klaus.sock', 2, 'unix:klaus.sock'],
      ['http://127.0.0.1:3001/#token=abc', 2, 'KLAUS_SERVER_TOKEN'],
      ['http://me:secret@127.0.0.1:3001', 2, 'user'],
      ['unix:/nowhere/klaus.sock', 3, 'socket'],
      ['http://127.0.0.1:1', 3, 'http://127.0.0.1:1'],
    ],
    2,
  ))
    test.each(cases)('or reports what is wrong with %s', { tags }, async (address, code, token) => {
      using place = createTestHome();
      const ended = await runKlaus(['sessions', '--server', address], { place });
      expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(token) });
      expect(ended.stderr).not.toMatch(/abc|secret@/);
    });

  for (const { cases, tags } of splitCases(
    [
      ['another program', '<html>', 'klaus serve'],
      ['other JSON', '{"status":"ok"}', 'klaus serve'],
      ['a newer API', '{"status":"ok","version":"9.1.0","api":99}', '9.1.0'],
      ['an older API', '{"status":"ok","version":"0.0.9"}', '0.0.9'],
    ],
    1,
  ))
    test.each(cases)('or says that %s answers there', { tags }, async (_, body, says) => {
      using place = createTestHome();
      const other = createServer((_request, response) => response.end(body));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as { port: number };
      const url = `http://127.0.0.1:${port}`;
      const plain = await runKlaus(['sessions', '--server', url], { place });
      const secure = await runKlaus(['sessions', '--server', url.replace('http', 'https')], { place });
      other.close();
      expect(plain).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(says) });
      expect(secure).toMatchObject({ code: 3, stderr: expect.stringContaining('TLS') });
    });
});

describe('what has no meaning elsewhere', () => {
  test.each([
    [['run', '--cwd', 'src', 'go'], '--cwd'],
    [['run', '--set', 'maxRetries=1', 'go'], '--set'],
    [['run', '--allow-any-workspace', 'go'], '--allow-any-workspace'],
    [['undo'], '--server'],
    [['audit', 'verify'], '--server'],
  ])('is refused before anything is done: %s', async (words, says) => {
    using place = createTestHome();
    const ended = await runKlaus([...words, '--server', 'http://127.0.0.1:1'], { place });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });

  test(
    'KLAUS_SERVER: a command that acts here says so, one of the machine does not, and local means here',
    { tags: ['long'] },
    async () => {
      using place = createTestHome();
      const env = { KLAUS_SERVER: 'http://127.0.0.1:1' };
      const klaus = (...words: string[]) => runKlaus(words, { place, env });
      expect((await klaus('undo')).stderr).toMatch(/klaus undo .*KLAUS_SERVER/);
      expect((await klaus('audit', 'verify')).stderr).toMatch(/klaus audit verify .*KLAUS_SERVER/);
      expect((await klaus('config')).stderr).toBe('');
      expect(await klaus('sessions', '--server', 'local')).toMatchObject({ code: 0, stdout: '' });
      expect((await klaus('sessions')).code).toBe(3);
    },
  );
});
