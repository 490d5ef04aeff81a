import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { follow, startServeProcess, startTestServer, type TestServer } from '../fixtures/server.ts';

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
