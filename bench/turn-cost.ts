import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { receive, startProcess } from './child.ts';
import type { ClientOrder } from './client-process.ts';
import type { CpuReadings } from './cpu-readings.ts';
import { meanStep, median } from './measure.ts';
import type { ModelOrder, ModelReady, SaveBodies, SavedBodies } from './model-process.ts';
import type { SessionOrder } from './session-process.ts';

const EARLY = 10;
/** Half of the turns that a figure is the mean of. */
const HALF = 10;
/** Turns of the session that goes before: what is compared is the history's length, not how warm the code is. */
const WARM = 150;
/** Short sessions, so that the early figure is not that of 20 turns alone. */
const SHORT = Array.from({ length: 6 }, () => EARLY + HALF + 1);

/**
 * CPU of the engine for one turn with one tool call, early and late in a session, beside a client that posts
 * the same bytes. Three processes: the server, and one after the other the engine and the client.
 */
export const turnCost: Benchmark = {
  name: 'turns',
  async run({ quick }) {
    const late = quick ? 200 : 1_000;
    const sessions = [WARM, ...SHORT, late + HALF + 1];
    using place = createTestHome();
    const { home, workspace, env } = place;
    mkdirSync(home, { mode: 0o700 });
    const server = startProcess('model-process.ts', { script: toScript(sessions) } satisfies ModelOrder);
    try {
      const { url } = await receive<ModelReady>(server);
      const order: SessionOrder = { place: { home, workspace, env }, url, sessions };
      const engine = await receive<CpuReadings>(startProcess('session-process.ts', order));
      const client = await repeatRequests(server, order);
      return toRows(engine, client, late);
    } finally {
      server.kill();
    }
  },
};

/** A session of N turns calls a tool in each but the last. */
function toScript(sessions: readonly number[]): Script {
  return {
    steps: [...new Set(sessions)].map((turns) => ({
      when: { turn: turns - 1, user: `for ${turns} turns` },
      reply: { text: 'That is all.' },
    })),
    fallback: { text: 'I read it again.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
  };
}

/** The same bodies in the same order, from a client that has been warmed by as many. */
async function repeatRequests(server: ChildProcess, { place, url, sessions }: SessionOrder): Promise<CpuReadings> {
  const file = join(dirname(place.home), 'bodies');
  server.send({ file } satisfies SaveBodies);
  const { lengths } = await receive<SavedBodies>(server);
  const expected = sessions.reduce((sum, turns) => sum + turns, 0);
  if (lengths.length !== expected) throw new Error(`${lengths.length} requests were sent, not ${expected}`);
  const parts = sessions.map((turns, at) => {
    const first = sessions.slice(0, at).reduce((sum, before) => sum + before, 0);
    return lengths.slice(first, first + turns);
  });
  const order: ClientOrder = { url, file, sessions: parts };
  return receive<CpuReadings>(startProcess('client-process.ts', order));
}

/** Mean of the turns around this one: of every session that was so long, the middle one. The warming one is no part of it. */
function toCost(sessions: CpuReadings, turn: number): number {
  const long = sessions.slice(1).filter((readings) => readings.length > turn + HALF);
  return median(long.map((readings) => meanStep(readings.slice(turn - HALF, turn + HALF + 1))));
}

function toRows(engine: CpuReadings, client: CpuReadings, late: number): Row[] {
  const rows = [EARLY, late].map((turn): Row => {
    const bare = { value: toCost(client, turn), what: 'fetch of the same bytes' };
    return { name: `CPU of turn ${turn.toLocaleString('en')}`, value: toCost(engine, turn), unit: 'ms', bare };
  });
  const [early, later] = rows.map(({ value, bare }) => value - bare!.value);
  const name = `engine beyond the client, turn ${late.toLocaleString('en')}`;
  return [...rows, { name, value: later!, unit: 'ms', bare: { value: early!, what: `the same at turn ${EARLY}` } }];
}
