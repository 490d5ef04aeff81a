import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServerLog } from '../../apps/server/server-log.ts';
import { startKlaus, startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { follow, rawRequest, startServeProcess, startTestServer, type TestServer } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

async function run({ client }: TestServer): Promise<string> {
  const { session } = await client.openSession({ body: { text: 'go' } });
  const followed = follow(client, session);
  await followed.until('run.finished');
  await followed.stop();
  return session;
}

test('counts what it does, in the format of Prometheus', async () => {
  await using it = await startTestServer({ script: SCRIPT });
  await run(it);
  const text = await it.client.metrics();
  const read = (name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  expect(read('klaus_runs_total{outcome="done"}')).toBe(1);
  expect(read('klaus_tool_calls_total{tool="read_file",outcome="ok"}')).toBe(1);
  expect(read('klaus_tool_duration_seconds_bucket{tool="read_file",le="+Inf"}')).toBe(1);
  expect(read('klaus_tool_duration_seconds_count{tool="read_file"}')).toBe(1);
  expect(read('klaus_gate_decisions_total{verdict="allow"}')).toBeGreaterThanOrEqual(1);
  expect(read('klaus_turns_total{model="anthropic/claude-sonnet-5-5"}')).toBe(2);
  expect(read('klaus_tokens_total{model="anthropic/claude-sonnet-5-5",class="output"}')).toBeGreaterThan(0);
  expect(read('klaus_runs_queued')).toBe(0);
  // Every line is a comment, or a name with labels and a number.
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^# (HELP|TYPE) |^[a-z_]+(\{[^}]*\})? [\d.e+-]+$/);
});

test('AGENT_METRICS_ENABLED=false: there are none', async () => {
  await using it = await startTestServer({ env: { AGENT_METRICS_ENABLED: 'false' } });
  const answer = await rawRequest(it.server, {
    path: '/metrics',
    headers: { authorization: `Bearer ${it.server.token}` },
  });
  expect(answer.status).toBe(404);
});

test('AGENT_WEBHOOK_URL is told of the end of a run, signed, and again until it takes it', async () => {
  const secret = 'a-secret-of-the-hook';
  const taken: { body: string; headers: Record<string, string | string[] | undefined> }[] = [];
  let wake = (): void => {};
  const hook = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      taken.push({ body, headers: request.headers });
      response.writeHead(taken.length < 3 ? 503 : 204).end();
      if (taken.length === 3) wake();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as { port: number };
  await using it = await startTestServer({
    script: SCRIPT,
    env: { AGENT_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`, AGENT_WEBHOOK_SECRET: secret },
  });
  const third = new Promise<void>((resolve) => (wake = resolve));
  const session = await run(it);
  await third;
  hook.close();
  const [first, , last] = taken;
  expect(last!.headers['x-klaus-delivery']).toBe(first!.headers['x-klaus-delivery']);
  expect(JSON.parse(last!.body)).toMatchObject({ type: 'run.finished', session, outcome: 'done', toolCalls: 1 });
  const signed = createHmac('sha256', secret).update(`${last!.headers['x-klaus-timestamp'] as string}.${last!.body}`);
  expect(last!.headers['x-klaus-signature']).toBe(`sha256=${signed.digest('hex')}`);
});

test('LOG_LEVEL: what is below it is not written, and no secret is', () => {
  using place = createPlace();
  const lines: string[] = [];
  const folder = join(place.home, 'logs');
  const options = { folder, write: (line: string) => void lines.push(line), json: false, secrets: ['hush-hush'] };
  const log = createServerLog({ ...options, level: 'warn' });
  log.info('not this');
  log.warn('a token', { error: new Error('it was hush-hush') });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/ warn a token error=Error: it was …/);
  const [name] = readdirSync(folder);
  expect(name).toMatch(/^agent-\d{4}-\d{2}-\d{2}\.log$/);
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  const entry = JSON.parse(readFileSync(join(folder, name!), 'utf8')) as object;
  expect(entry).toMatchObject({ level: 'warn', text: 'a token', error: expect.stringContaining('it was …') });
});

test('AGENT_SHUTDOWN_TIMEOUT: a step that does not end is cut off in time, and nothing is lost', async () => {
  using place = createPlace();
  await using model = await startServer({
    steps: [
      SCRIPT.steps[0]!,
      { when: { turn: 0 }, reply: { text: 'Done.' }, faults: [{ kind: 'hang', after: 0, keepAlive: false }] },
    ],
  });
  const serve = await startServeProcess(place, model, { env: { AGENT_SHUTDOWN_TIMEOUT: '200' } });
  const { session } = await serve.client.openSession({ body: { text: 'go' } });
  const followed = follow(serve.client, session);
  await followed.until('turn.started');
  serve.process.kill('SIGTERM');
  expect((await serve.process.ended).code).toBe(0);
  await followed.stop();
  const next = await startServeProcess(place, model);
  const again = follow(next.client, session);
  expect(await again.until('run.finished')).toMatchObject({ outcome: 'done' });
  await again.stop();
  next.process.kill('SIGTERM');
  expect((await next.process.ended).code).toBe(0);
});

test('what a run is begun with is what serve was told', async () => {
  using place = createPlace();
  await using model = await startServer(SCRIPT);
  const words = ['--approve', 'edits', '--budget-tokens', '4321', '--max-turns', '7', '--isolate'];
  const serve = await startServeProcess(place, model, { words });
  expect(await serve.client.settings()).toMatchObject({
    workspace: place.workspace,
    mode: 'edits',
    isolate: true,
    limits: { tokens: 4321, turns: 7 },
  });
  const { session } = await serve.client.openSession({ body: {} });
  expect(await serve.client.session({ params: { id: session } })).toMatchObject({
    mode: 'edits',
    limits: { tokens: 4321 },
  });
  serve.process.kill('SIGTERM');
  expect((await serve.process.ended).code).toBe(0);
});

test('of many that begin at once exactly one serves a state folder, also where a killed one left its socket', async () => {
  using place = createPlace();
  await using model = await startServer({ steps: [{ reply: { text: 'Done.' } }] });
  const socket = join(place.home, 'server', 'klaus.sock');
  for (const isStale of [false, true]) {
    expect(existsSync(socket)).toBe(isStale);
    const begun = Array.from({ length: 5 }, () =>
      startKlaus(['serve', '--json', '--port', '0'], { place, server: model }),
    );
    const ready = await Promise.all(
      begun.map((serve) =>
        serve.printed('stdout', '\n').then(
          () => serve,
          () => undefined,
        ),
      ),
    );
    const winners = ready.filter((serve) => serve !== undefined);
    expect(winners).toHaveLength(1);
    for (const serve of begun) {
      if (serve === winners[0]) continue;
      const { code, stdout, stderr } = await serve.ended;
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: 'store.busy', message: 'klaus serve runs already for this state folder.' },
      });
    }
    expect((await rawRequest({ socket }, { path: '/health' })).status).toBe(200);
    winners[0]!.kill('SIGKILL');
    await winners[0]!.ended;
  }
});
