import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createTestHome, type TestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { toOpening, toRunEnd, toTurnDrafts, writeLogs } from './drafts.ts';
import { interleave } from './measure.ts';
import { buildBundle, start, timeToExit } from './program.ts';
import { readMemoryOf, serve } from './server/server-process.ts';

const IDLE = 100;
const TURNS = 20;

/** Commands over many sessions, beside `--version`, and the memory of a daemon with idle sessions. */
export const roof: Benchmark = {
  name: 'roof',
  async run({ quick }) {
    const bundle = buildBundle();
    const count = quick ? 1_000 : 10_000;
    using place = createTestHome();
    mkdirSync(place.home, { mode: 0o700 });
    const ids = toIds(count);
    await writeLogs(place.home, ids, [...toOpening(place.workspace), toRunEnd(0)]);
    const env = { KLAUS_SANDBOX: 'host' };
    const exit = (...words: string[]) => timeToExit([...bundle, ...words], { place, env });
    const taken = await interleave(
      {
        version: () => exit('--version'),
        status: () => exit('status', ids[0]!),
        sessions: () => exit('sessions', '--all'),
        attach: () => timeToFirstLine([...bundle, 'attach', ids[0]!, '--plain'], place),
      },
      quick ? 5 : 21,
    );
    const bare = { value: taken.version, what: 'klaus --version' };
    return [
      { name: 'klaus status', value: taken.status, unit: 'ms', bare, most: { times: 1.5 } },
      { name: `klaus sessions --all, ${count} sessions`, value: taken.sessions, unit: 'ms', bare, most: { times: 3 } },
      { name: 'klaus attach, first line', value: taken.attach, unit: 'ms', bare, most: { times: 3 } },
      await measureIdle(bundle),
    ];
  },
};

/** Memory of a daemon over one without sessions: each of them has run, and has nothing left to do. */
async function measureIdle(bundle: readonly string[]): Promise<Row> {
  using place = createTestHome();
  await using empty = await serve(bundle, place, {});
  const before = readMemoryOf(empty.pid);
  await empty[Symbol.asyncDispose]();
  const turns = Array.from({ length: TURNS }, (_, turn) => toTurnDrafts(turn + 1)).flat();
  await writeLogs(place.home, toIds(IDLE), [...toOpening(place.workspace), ...turns, toRunEnd(TURNS)]);
  await using server = await serve(bundle, place, {});
  // Each is opened once, as a client does that lists and shows them.
  for (const id of toIds(IDLE)) (await server.follow(id)).destroy();
  const bare = { value: before, what: 'a daemon without sessions' };
  const value = readMemoryOf(server.pid) - before;
  return { name: `memory that ${IDLE} idle sessions add to a daemon`, value, unit: 'MB', bare, most: 60 };
}

async function timeToFirstLine(command: readonly string[], place: TestHome): Promise<number> {
  const begun = performance.now();
  const child = start(command, { place, stdio: ['ignore', 'pipe', 'pipe'], env: { KLAUS_SANDBOX: 'host' } });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout!, 'data'), once(child.stderr!, 'data')]);
  const taken = performance.now() - begun;
  child.kill('SIGKILL');
  await ended;
  return taken;
}

function toIds(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `01KE000000000000000R${String(at).padStart(6, '0')}`);
}
