// Covers core/agent/model: an unreachable model.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type Event, type Script } from '@klaus/sdk';
import { expect, test, vi } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, toEvents, type KlausOptions, type RunningKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

// Many processes are started here, which can be slow.
vi.setConfig({ testTimeout: 240_000 });

/** A command that writes a line each time it runs, and ends when the test ends it. The model goes away in between. */
const COMMAND = 'echo ran >> ran.log; until [ -e go ]; do sleep 0.05; done';
const SCRIPT: Script = {
  steps: [
    { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: COMMAND } }] } },
    { when: { turn: 1 }, reply: { text: 'It is done.' } },
  ],
};

/** Two attempts without waiting for the model; with it, one every 0.1 s. */
const QUICK = { KLAUS_RETRY_ATTEMPTS: '2', KLAUS_RETRY_BASE_MS: '50', KLAUS_RETRY_MAX_MS: '100' };

interface Away {
  klaus: RunningKlaus;
  options: KlausOptions;
  session: string;
  /** Starts the server again on its port. */
  back: () => Promise<AsyncDisposable>;
}

/** Runs until the model has gone away between the first and the second request. */
async function goAway(place: TestHome, words: readonly string[]): Promise<Away> {
  const server = await startModelServer({ script: SCRIPT });
  const options = { place, server, env: QUICK };
  const klaus = startKlaus(['run', '--json', ...words, 'do it'], options);
  await klaus.printed('stdout', '"type":"tool.started"');
  const { port } = new URL(server.url);
  await server.close();
  writeFileSync(join(place.workspace, 'go'), '');
  await klaus.printed('stdout', '"outcome":"connection"');
  const { stdout } = await runKlaus(['sessions', '--json'], { place });
  const session = (JSON.parse(stdout) as { id: string }).id;
  const back = async () => {
    const again = await startModelServer({ script: SCRIPT, port: Number(port) });
    return { [Symbol.asyncDispose]: () => again.close() };
  };
  return { klaus, options, session, back };
}

async function logOf(place: TestHome, session: string): Promise<Event[]> {
  return toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
}

function expectComplete(place: TestHome, events: readonly Event[]): void {
  expect(readFileSync(join(place.workspace, 'ran.log'), 'utf8')).toBe('ran\n');
  expect(ofType(events, 'tool.finished')).toHaveLength(1);
  expect(ofType(events, 'run.finished').at(-1)).toMatchObject({ outcome: 'done' });
  const said = ofType(events, 'message.added').filter(({ message }) => message.role === 'assistant');
  expect(said.at(-1)!.message.parts).toEqual([{ type: 'text', text: 'It is done.' }]);
  expect(said).toHaveLength(2);
}

test('the run waits for an unavailable model for the given time, and continues when it is back', async () => {
  using place = createTestHome();
  const { klaus, session, back } = await goAway(place, ['--wait-for-model', '1h']);
  await klaus.printed('stdout', '"attempt":6,"outcome":"connection"');
  await using _ = await back();
  expect((await klaus.ended).code).toBe(0);
  const events = await logOf(place, session);
  expectComplete(place, events);
  const failed = ofType(events, 'model.attempted').filter(({ outcome }) => outcome === 'connection');
  // One outage and one end of the wait, regardless of the number of attempts, which cost nothing.
  expect(new Set(failed.slice(1).map(({ waitUntil }) => waitUntil))).toEqual(new Set([failed[0]!.at + 3_600_000]));
  expect(failed.every(({ usd, usage }) => usd === 0 && usage.output === 0)).toBe(true);
});

for (const { cases, tags } of splitCases(['SIGKILL', 'SIGTERM'] as const, 1))
  test.each(cases)('%s while it waits: resume continues to wait for the given time', { tags }, async (signal) => {
    using place = createTestHome();
    const { klaus, options, session, back } = await goAway(place, ['--wait-for-model', '1h']);
    klaus.kill(signal);
    await klaus.ended;
    // The wait is part of the run. It has to be given again only if the signal ended the run.
    const words = signal === 'SIGTERM' ? ['--wait-for-model', '1h'] : [];
    const resumed = startKlaus(['resume', session, '--json', ...words], options);
    await resumed.printed('stdout', '"attempt":4,"outcome":"connection"');
    await using _ = await back();
    expect((await resumed.ended).code).toBe(0);
    expectComplete(place, await logOf(place, session));
  });

test('a run that waits is stopped by klaus cancel from another process', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const { klaus, session } = await goAway(place, ['--wait-for-model', '1h']);
  await runKlaus(['cancel', session], { place });
  await klaus.ended;
  const events = await logOf(place, session);
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'cancelled' });
});

test('when the wait is over the run fails, and resume continues without loss', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const { klaus, options, session, back } = await goAway(place, ['--wait-for-model', '1s']);
  const ended = await klaus.ended;
  expect(ended.code).toBe(4);
  await using _ = await back();
  expect((await runKlaus(['resume', session, '--json'], options)).code).toBe(0);
  expectComplete(place, await logOf(place, session));
  expect(existsSync(join(place.workspace, 'go'))).toBe(true);
});

test('the wait is shown, and at its end the possible actions', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const env = { ...QUICK, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60' };
  const ended = await runKlaus(['run', '--plain', '--wait-for-model', '1s', 'look'], { place, env });
  expect(`${ended.stdout}${ended.stderr}`).toMatch(/\b\d+ ms\b.*\b[\d.]+ m?s\b/);
  expect(ended.code).toBe(4);
  expect(ended.stderr).toMatch(/--wait-for-model 2h[^]*klaus resume \w+/);
  expect((await runKlaus(['run', '--wait-for-model', '1', 'look'], { place })).code).toBe(2);
});
