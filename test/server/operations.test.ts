// Covers apps/server: start, stop and operation of the server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus, startKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { follow, rawRequest, type ServeProcess, startServeProcess } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

test('AGENT_SHUTDOWN_TIMEOUT: a step that does not end is cut off in time, and nothing is lost', async () => {
  using place = createTestHome();
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

test('a second start for the same state folder names the address of the first one', async () => {
  using place = createTestHome();
  await using model = await startServer(SCRIPT);
  const serve = await startServeProcess(place, model);
  const second = await runKlaus(['serve', '--port', '0'], { place, server: model });
  expect(second).toMatchObject({ code: 9, stdout: '' });
  expect(second.stderr).toContain(serve.url);
  serve.process.kill('SIGTERM');
  expect((await serve.process.ended).code).toBe(0);
});

const toCommand = (command: string, more: object = {}) => ({
  steps: [
    SCRIPT.steps[0]!,
    { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command, ...more } }] } },
    { when: { turn: 1 }, reply: { calls: [{ name: 'run_command', input: { command: 'trap "" TERM; sleep 60' } }] } },
    { when: { turn: 2 }, reply: { text: 'Done.' } },
  ],
});

/** Stops a server and returns after how many milliseconds its process was gone. */
async function measureStop({ process }: ServeProcess): Promise<number> {
  const asked = performance.now();
  process.kill('SIGTERM');
  expect((await process.ended).code).toBe(0);
  return performance.now() - asked;
}

sandboxed(
  'AGENT_SHUTDOWN_TIMEOUT: exits in time although commands ignore all signals, in the foreground and in the background',
  async () => {
    using place = createTestHome();
    const deaf = "trap '' TERM; while :; do sleep 0.05; done";
    await using model = await startServer(toCommand(deaf, { background: true }));
    const serve = await startServeProcess(place, model, {
      words: ['--approve', 'auto'],
      env: { AGENT_SHUTDOWN_TIMEOUT: '6000', KLAUS_SANDBOX: 'bubblewrap' },
    });
    const { session } = await serve.client.openSession({ body: { text: 'go' } });
    const followed = follow(serve.client, session);
    await followed.until('tool.started', ({ turn }) => turn === 2);
    const took = await measureStop(serve);
    await followed.stop();
    expect(took).toBeLessThanOrEqual(6_000);
    // The step had its time.
    expect(took).toBeGreaterThanOrEqual(4_500);
    // All its processes have ended, and the next server resumes.
    const next = await startServeProcess(place, model, { env: { KLAUS_SANDBOX: 'bubblewrap' } });
    const again = follow(next.client, session);
    expect(await again.until('tool.finished', ({ turn }) => turn === 2)).toMatchObject({ outcome: 'unknown' });
    expect(await again.until('process.changed', ({ state }) => state !== 'started')).toBeDefined();
    expect(await again.until('run.finished')).toMatchObject({ outcome: 'done' });
    await again.stop();
    expect(await measureStop(next)).toBeLessThanOrEqual(30_000);
  },
);

test(
  'AGENT_SHUTDOWN_TIMEOUT: a step that ends within it is not cut off',
  { timeout: 60_000, tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using model = await startServer(toCommand('sleep 9; echo complete'));
    const serve = await startServeProcess(place, model, {
      words: ['--approve', 'auto'],
      env: { AGENT_SHUTDOWN_TIMEOUT: '12000' },
    });
    const { session } = await serve.client.openSession({ body: { text: 'go' } });
    const followed = follow(serve.client, session);
    await followed.until('tool.started');
    expect(await measureStop(serve)).toBeLessThanOrEqual(12_000);
    expect(await followed.until('tool.finished')).toMatchObject({
      outcome: 'ok',
      output: expect.stringContaining('complete'),
    });
    await followed.stop();
  },
);

test('runs use the options of serve', { tags: ['long'] }, async () => {
  using place = createTestHome();
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

test(
  'of many that begin at once exactly one serves a state folder, also where a killed one left its socket',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
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
        expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'store.busy' } });
      }
      expect((await rawRequest({ socket }, { path: '/health' })).status).toBe(200);
      winners[0]!.kill('SIGKILL');
      await winners[0]!.ended;
    }
  },
);
