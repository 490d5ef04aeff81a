import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startKlaus, startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { follow, rawRequest, startServeProcess } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

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
