// Covers apps/server/observability: the server's log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServerLog, type ServerLogOptions } from '../../apps/server/observability/server-log.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { follow, rawRequest, startServeProcess } from '../fixtures/server.ts';

const JANUARY = Date.UTC(2026, 0, 31, 23, 59, 59);

function createLog(folder: string, options: Partial<ServerLogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const given = { level: 'warn', folder, keepDays: 14, write, json: false, redact: (text: string) => text } as const;
  return { log: createServerLog({ ...given, ...options }), lines };
}

test('LOG_LEVEL: what is below it is not written, and no secret is', () => {
  using place = createTestHome();
  const folder = join(place.home, 'logs');
  const { log, lines } = createLog(folder, { redact: (text) => text.replaceAll('sk-ant-1', '[secret:key]') });
  log.hide('hush"hush');
  log.info('not this');
  log.warn('a token', {
    error: new Error('it was hush"hush and sk-ant-1'),
    headers: { authorization: 'Bearer x', host: 'a' },
    password: 'p',
    path: '/\u001b[2J',
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/ warn a token .*error=Error: it was … and \[secret:key\]/);
  // What acts on a terminal comes through as text.
  expect(lines[0]).not.toContain('\u001b');
  const [name] = readdirSync(folder);
  expect(name).toMatch(/^agent-\d{4}-\d{2}-\d{2}\.log$/);
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  const text = readFileSync(join(folder, name!), 'utf8');
  expect(text).not.toMatch(/hush|Bearer|"p"|sk-ant/);
  expect(JSON.parse(text)).toMatchObject({
    level: 'warn',
    msg: 'a token',
    headers: { host: 'a' },
    error: { type: 'Error', message: 'it was … and [secret:key]' },
  });
});

test('begins a new file at midnight and removes those that are too old', () => {
  using place = createTestHome();
  const folder = join(place.home, 'logs');
  mkdirSync(folder, { recursive: true });
  for (const name of ['agent-2026-01-28.log', 'agent-2026-01-30.log', 'agent-notes.log', 'agent-2025-12-01.log.gz'])
    writeFileSync(join(folder, name), '');
  let now = JANUARY;
  const { log } = createLog(folder, { now: () => now, keepDays: 2 });
  log.warn('before');
  expect(readdirSync(folder)).not.toContain('agent-2026-01-28.log');
  now += 2_000;
  log.warn('after');
  expect(readFileSync(join(folder, 'agent-2026-01-31.log'), 'utf8')).toContain('"msg":"before"');
  expect(readFileSync(join(folder, 'agent-2026-02-01.log'), 'utf8')).toContain('"time":"2026-02-01T00:00:01.000Z"');
  now += 48 * 3_600_000;
  log.warn('later');
  expect(readdirSync(folder).toSorted()).toEqual([
    'agent-2025-12-01.log.gz',
    'agent-2026-02-01.log',
    'agent-2026-02-03.log',
    'agent-notes.log',
  ]);
});

test('a full disk is said once, and stops nothing', () => {
  using place = createTestHome();
  const folder = join(place.home, 'logs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'agent-2026-01-31.log');
  // Every write to it fails as on a full disk. Source: full(4).
  symlinkSync('/dev/full', file);
  const { log, lines } = createLog(folder, { now: () => JANUARY });
  for (const text of ['one', 'two', 'three']) log.warn(text);
  expect(lines.filter((line) => line.includes('ENOSPC'))).toHaveLength(1);
  expect(lines.filter((line) => / warn (one|two|three)\n/.test(line))).toHaveLength(3);
  rmSync(file);
  log.warn('four');
  expect(lines.at(-2)).toContain('; 3 entries');
  expect(readFileSync(file, 'utf8')).toContain('"msg":"four"');
});

test('an uncaught error is in the log before the process ends', async () => {
  using place = createTestHome();
  const { code } = await runProgram(
    place.home,
    `logCrashes(log); setImmediate(() => { throw new Error('a defect'); });`,
  );
  expect(code).toBe(1);
  const folder = join(place.home, 'logs');
  const entry = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')) as object;
  expect(entry).toMatchObject({ level: 'fatal', error: { message: 'a defect' }, origin: 'uncaughtException' });
});

test('a request has an id in the answer, the problem and the log, where neither query nor token is', async () => {
  using place = createTestHome();
  await using model = await startServer({ steps: [] });
  const serve = await startServeProcess(place, model, { env: { LOG_LEVEL: 'debug' } });
  const good = await rawRequest(serve, { path: '/api/sessions?search=private-words', headers: serve.headers });
  const bad = await rawRequest(serve, {
    path: '/api/sessions/none?token=a-secret-of-the-test',
    headers: serve.headers,
  });
  const foreign = await rawRequest(serve, { path: '/api/sessions', headers: { authorization: 'Bearer wrong-token' } });
  const problem = JSON.parse(bad.body) as { requestId: string };
  expect(problem.requestId).toBe(bad.headers['x-request-id']);
  serve.process.kill('SIGTERM');
  expect((await serve.process.ended).code).toBe(0);
  const folder = join(place.home, 'logs');
  const text = readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (answer: typeof good) => entries.find((it) => it['request'] === answer.headers['x-request-id']);
  expect(of(good)).toMatchObject({ level: 'debug', method: 'GET', path: '/api/sessions', status: 200 });
  expect(of(bad)).toMatchObject({ level: 'warn', status: 404, code: 'usage' });
  expect(of(foreign)).toMatchObject({ level: 'warn', status: 401, code: 'unauthorized' });
  expect(entries.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
  for (const word of ['private-words', 'a-secret-of-the-test', 'wrong-token']) {
    expect(text).not.toContain(word);
    expect(serve.process.text.stderr).not.toContain(word);
  }
});

test('LOG_LEVEL=debug logs each answer of a model and each tool call without their content', async () => {
  using place = createTestHome({ 'a.txt': 'content-of-the-file\n' });
  const calls = [{ name: 'read_file', input: { path: 'a.txt' } }];
  await using model = await startServer({
    steps: [
      { when: { turn: 0, user: 'words' }, reply: { text: 'words-of-the-model', calls } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
    fallback: { text: 'A title' },
  });
  const serve = await startServeProcess(place, model, { env: { LOG_LEVEL: 'debug' } });
  const { session } = await serve.client.openSession({ body: { text: 'words-of-the-user' } });
  const followed = follow(serve.client, session);
  await followed.until('run.finished');
  await followed.stop();
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  const folder = join(place.home, 'logs');
  const text = readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const answers = entries.filter(({ purpose }) => purpose === 'turn');
  expect(answers.map(({ turn, outcome }) => [turn, outcome])).toEqual([
    [1, 'ok'],
    [2, 'ok'],
  ]);
  expect(answers[0]).toMatchObject({ session, durationMs: expect.any(Number), output: expect.any(Number) });
  expect(entries.filter((entry) => 'inputLength' in entry)).toEqual([
    expect.objectContaining({ session, turn: 1, name: 'read_file', outcome: 'ok', inputLength: 16 }),
  ]);
  for (const word of ['content-of-the-file', 'words-of-the-model', 'words-of-the-user', 'a.txt'])
    expect(text).not.toContain(word);
});

async function runProgram(home: string, text: string) {
  const program = `
    import { createServerLog, logCrashes } from ${JSON.stringify(join(import.meta.dirname, '../../apps/server/observability/server-log.ts'))};
    const log = createServerLog({ level: 'info', folder: ${JSON.stringify(join(home, 'logs'))}, keepDays: 1,
      write: (line) => process.stderr.write(line), json: false, redact: (text) => text });
    ${text}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code };
}
