import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { toOpening, toRunEnd, toShortSession, toTurnDrafts, writeLogs } from './drafts.ts';
import { interleave } from './measure.ts';
import { buildBundle, start, timeToExit } from './program.ts';
import { readMemoryOf, serve } from './server/server-process.ts';
import { measureIdleness } from './server/wakes.ts';

const IDLE = 100;
const TURNS = 20;

/** Commands over many sessions, beside `--version`, and what a daemon with idle sessions needs. */
export const roof: Benchmark = {
  name: 'roof',
  async run({ quick }) {
    const bundle = buildBundle();
    const count = quick ? 1_000 : 10_000;
    using place = createTestHome();
    mkdirSync(place.home, { mode: 0o700 });
    const ids = toIds(count);
    await writeLogs(place.home, ids, (number) => toShortSession(place.workspace, number));
    const env = { KLAUS_SANDBOX: 'host' };
    const exit = (...words: string[]) => timeToExit([...bundle, ...words], { place, env });
    const taken = await interleave(
      {
        version: () => exit('--version'),
        status: () => exit('status', ids[0]!),
        newest: () => exit('sessions'),
        sessions: () => exit('sessions', '--all'),
        attach: () => timeToContent([...bundle, 'attach', ids[0]!, '--plain'], place),
      },
      quick ? 5 : 21,
    );
    const bare = { value: taken.version, what: 'klaus --version' };
    const stored = `${count.toLocaleString('en')} stored sessions`;
    return [
      { name: `klaus status, ${stored}`, value: taken.status, unit: 'ms', bare, most: { times: 1.5 } },
      { name: `klaus sessions, the newest 50 of ${stored}`, value: taken.newest, unit: 'ms', bare, most: { times: 3 } },
      { name: `klaus sessions --all, ${stored}`, value: taken.sessions, unit: 'ms', bare, most: { times: 3 } },
      { name: 'klaus attach, first line of the log', value: taken.attach, unit: 'ms', bare, most: { times: 3 } },
      ...(await measureIdle(bundle)),
    ];
  },
};

/** A daemon beside one without sessions: each of them has run, and has nothing left to do. */
async function measureIdle(bundle: readonly string[]): Promise<Row[]> {
  using place = createTestHome();
  await using empty = await serve(bundle, place, {});
  const before = { memory: readMemoryOf(empty.pid), wakes: (await measureIdleness(empty.pid)).wakes };
  await empty[Symbol.asyncDispose]();
  const turns = Array.from({ length: TURNS }, (_, turn) => toTurnDrafts(turn + 1)).flat();
  await writeLogs(place.home, toIds(IDLE), () => [...toOpening(place.workspace), ...turns, toRunEnd(TURNS)]);
  await using server = await serve(bundle, place, {});
  // Each is opened once, as a client does that lists and shows them.
  for (const id of toIds(IDLE)) (await server.follow(id)).destroy();
  const memory = readMemoryOf(server.pid) - before.memory;
  const { wakes } = await measureIdleness(server.pid);
  const what = 'a daemon without sessions';
  return [
    {
      name: `memory that ${IDLE} idle sessions add to a daemon`,
      value: memory,
      unit: 'MB',
      bare: { value: before.memory, what },
      most: 60,
    },
    {
      name: `wakes of a daemon with ${IDLE} idle sessions, all threads`,
      value: wakes,
      unit: 'wakes/s',
      bare: { value: before.wakes, what },
      // A timer for each session that fires once a minute would add 1.7 a second.
      most: { times: 1.5 },
    },
  ];
}

/** Until the first line of the log, which is on standard output. */
async function timeToContent(command: readonly string[], place: TestHome): Promise<number> {
  const begun = performance.now();
  const child = start(command, { place, stdio: ['ignore', 'pipe', 'ignore'], env: { KLAUS_SANDBOX: 'host' } });
  const ended = once(child, 'exit');
  await once(child.stdout!, 'data');
  const taken = performance.now() - begun;
  child.kill('SIGKILL');
  await ended;
  return taken;
}

function toIds(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `01KE000000000000000R${String(at).padStart(6, '0')}`);
}
