// Covers apps/server/runs, adapters/store/sqlite/log: the webhook and its outbox.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { follow, startServeProcess, startTestServer } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
    { when: { turn: 2 }, reply: { text: 'Done again.' } },
  ],
};

const bodyOf = ({ body }: { body: string }) => JSON.parse(body) as Record<string, unknown>;

test('AGENT_WEBHOOK_URL receives the end of a run, signed, and again until it accepts it', async () => {
  const secret = 'a-secret-of-the-hook';
  await using hook = await startReceiver();
  hook.answerWith(503, 500);
  const env = { AGENT_WEBHOOK_URL: hook.url, AGENT_WEBHOOK_SECRET: secret };
  await using it = await startTestServer({ script: SCRIPT, env });
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  const [last] = await hook.taken(1);
  expect(hook.received).toHaveLength(3);
  expect(new Set(hook.received.map(({ headers }) => headers['x-klaus-delivery'])).size).toBe(1);
  expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  expect(bodyOf(last!)).toMatchObject({ type: 'run.finished', session, outcome: 'done', toolCalls: 1 });
  const signed = createHmac('sha256', secret).update(`${last!.headers['x-klaus-timestamp'] as string}.${last!.body}`);
  expect(last!.headers['x-klaus-signature']).toBe(`sha256=${signed.digest('hex')}`);
});

test('what is not taken outlives a SIGKILL of the server, and comes in order, once', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using model = await startServer(SCRIPT);
  await using hook = await startReceiver();
  const env = { AGENT_WEBHOOK_URL: hook.url, KLAUS_RETRY_BASE_MS: '50' };
  const first = await startServeProcess(place, model, { env });
  hook.answerWith(...Array.from({ length: 100 }, () => 503));
  const { session } = await first.client.openSession({ body: { text: 'one' } });
  const followed = follow(first.client, session);
  const one = await followed.until('run.finished');
  await first.client.sendPrompt({ params: { id: session }, body: { text: 'two' } });
  const two = await followed.until('run.finished', ({ seq }) => seq > one.seq);
  await followed.stop();
  await hook.came(2);
  first.process.kill('SIGKILL');
  await first.process.ended;
  await hook.leave();
  const tried = hook.received.length;
  const second = await startServeProcess(place, model, { env });
  await second.process.printed('stderr', '"problem":');
  hook.answerWith();
  await hook.comeBack();
  const taken = await hook.taken(2);
  second.process.kill('SIGTERM');
  expect((await second.process.ended).code).toBe(0);
  const ids = (all: typeof taken) => all.map(({ headers }) => headers['x-klaus-delivery']);
  expect(ids(taken)).toEqual([`${session}-${one.seq}`, `${session}-${two.seq}`]);
  expect(ids(hook.received.slice(0, tried))).toEqual(Array.from({ length: tried }, () => `${session}-${one.seq}`));
  // Nothing waits any more.
  const third = await startServeProcess(place, model, { env });
  const next = await third.client.openSession({ body: { text: 'three' } });
  const all = await hook.taken(3);
  expect(ids(all)[2]).toMatch(new RegExp(`^${next.session}-`));
  third.process.kill('SIGTERM');
  await third.process.ended;
  expect(ids(await hook.taken(3))).toHaveLength(3);
});

test('a redirect is not followed, and a message that is given up does not hold up the next', async () => {
  using place = createTestHome();
  await using model = await startServer(SCRIPT);
  await using hook = await startReceiver();
  const env = { AGENT_WEBHOOK_URL: hook.url, AGENT_WEBHOOK_GIVE_UP: '0' };
  const serve = await startServeProcess(place, model, { env });
  hook.answerWith({ status: 307, location: '/elsewhere' });
  const { session } = await serve.client.openSession({ body: { text: 'one' } });
  await serve.process.printed('stderr', '"problem":');
  await serve.client.sendPrompt({ params: { id: session }, body: { text: 'two' } });
  const [taken] = await hook.taken(1);
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  expect(hook.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
  expect(taken!.headers['x-klaus-delivery']).not.toBe(hook.received[0]!.headers['x-klaus-delivery']);
  const folder = join(place.home, 'logs');
  const log = readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
  expect(log).toMatch(/"level":"error".*"problem":"[^"]*\b307\b/);
});
