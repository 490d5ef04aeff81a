import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqliteStore } from '@klaus/adapters/store';
import { createPlace, type Place } from '../../test/fixtures/place.ts';
import type { Benchmark } from '../benchmark.ts';
import { toOpening, toTurnDrafts } from '../drafts.ts';
import { buildBundle } from '../program.ts';
import { readMemoryOf, serve, type Served } from './server-process.ts';

const SESSIONS = 100;
const TURNS = 20;
/** Milliseconds in which wakes are counted, once what follows a start is over. */
const WATCHED_MS = 20_000;
const SETTLED_MS = 10_000;

/** Memory and wakes of a server that follows sessions in which nothing happens: each has a reader of its own. */
export const idle: Benchmark = {
  name: 'idle',
  async run() {
    using place = createPlace();
    mkdirSync(place.home, { recursive: true, mode: 0o700 });
    const sessions = await makeSessions(place);
    await using server = await serve(buildBundle(), place, {});
    // One of them first: what any session at all needs is not what the hundredth costs.
    const readers = [await follow(server, sessions[0]!)];
    const wakes = await countWakes(server.pid);
    const before = readMemoryOf(server.pid);
    for (const session of sessions.slice(1)) readers.push(await follow(server, session));
    const after = readMemoryOf(server.pid);
    for (const reader of readers) reader.destroy();
    return [
      { name: 'wakes of an idle server, all threads, one session followed', most: 5, value: wakes, unit: 'wakes/s' },
      {
        name: `memory that ${SESSIONS} idle sessions add`,
        most: 30,
        value: after - before,
        unit: 'MB',
        bare: { value: before, what: 'the server with one session' },
      },
    ];
  },
};

/** How often a second a thread of the process went to sleep by itself. */
async function countWakes(pid: number): Promise<number> {
  await sleep(SETTLED_MS);
  const before = readSleeps(pid);
  await sleep(WATCHED_MS);
  return ((readSleeps(pid) - before) * 1_000) / WATCHED_MS;
}

function readSleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return sum + Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1] ?? 0);
  }, 0);
}

async function makeSessions(place: Place): Promise<string[]> {
  using store = createSqliteStore({ home: place.home });
  const ids: string[] = [];
  for (let at = 0; at < SESSIONS; at++) {
    const id = `01KE0000000000000000BEN${String(at).padStart(3, '0')}`;
    const lease = store.claim(id)!;
    const turns = Array.from({ length: TURNS }, (_, turn) => toTurnDrafts(turn + 1)).flat();
    await store.append(id, [...toOpening(place.workspace), ...turns], { lease });
    lease.release();
    ids.push(id);
  }
  return ids;
}

/** Resolves when everything that was in the log has come. */
function follow({ url, headers }: Served, session: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = get(new URL(`/api/sessions/${session}/events?after=0`, url), { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answer ${answer.statusCode} for ${session}`));
      let tail = '';
      answer.on('data', (chunk: Buffer) => {
        tail = (tail + chunk.toString('latin1')).slice(-2_000);
        if (tail.includes('event: ready')) resolve(answer);
      });
      answer.on('error', () => {});
    });
    asked.on('error', reject);
  });
}
