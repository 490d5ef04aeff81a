import {
  createPostgresStore,
  createPostgresWorkerStore,
  type PostgresWorkerStore,
} from '@klaus/adapters/postgres-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNotice } from '../../adapters/store/fixtures/sample-events.ts';
import { findPostgres, startPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { percentile } from './percentile.ts';

const NAME = 'in-flight text of 20 sessions from a worker to a server';
const SESSIONS = 20;
/** Milliseconds between two words of one session. */
const WORD_MS = 20;
const ROUNDS = 4;

/** In-flight text between two processes of one Postgres database. */
export const live: Benchmark = {
  name: 'live',
  async run({ quick }) {
    if (findPostgres() === undefined) return [{ name: NAME, skipped: 'Postgres is not installed' }];
    const words = quick ? 25 : 150;
    await using server = await startPostgres({ isDurable: true });
    using place = createTestHome();
    const url = await server.createDatabase();
    const worker = await createPostgresWorkerStore({ url, home: place.home });
    const shown = await createPostgresStore({ url, home: place.home });
    try {
      const begun = new Map<string, number>();
      const delays: number[] = [];
      const stop = shown.onLive((live) => {
        const now = performance.now();
        if (!('text' in live)) return;
        for (const word of live.text.match(/\S+(?= )/g) ?? []) delays.push(now - begun.get(word)!);
      });
      const rates = { quiet: [] as number[], busy: [] as number[] };
      // The rounds alternate. The first one connects and prepares.
      for (let round = 0; round <= ROUNDS; round++) {
        const quiet = await readAppends(worker, 'appends', words * WORD_MS);
        const [busy] = await Promise.all([
          readAppends(worker, 'appends', words * WORD_MS),
          ...Array.from({ length: SESSIONS }, (_, at) =>
            emitWords(worker, { session: `S${at}`, message: `${round}-${at}`, words, begun }),
          ),
        ]);
        if (round > 0) rates.quiet.push(quiet);
        if (round > 0) rates.busy.push(busy);
        await sleep(250);
        if (round === 0) delays.length = 0;
      }
      stop();
      return [
        { name: `${NAME}, p50`, value: percentile(delays, 50), unit: 'ms' },
        { name: 'the same, p95', value: percentile(delays, 95), unit: 'ms', most: 150 },
        { name: 'words that arrived', value: (100 * delays.length) / (ROUNDS * words * SESSIONS), unit: '%' },
        {
          name: 'single appends of the worker at the same time',
          value: mean(rates.busy),
          unit: 'events/s',
          bare: { value: mean(rates.quiet), what: 'the same appends without in-flight text' },
        },
      ];
    } finally {
      await worker.close();
      await shown.close();
    }
  },
};

/** Emits the words of a session, one after the other. */
async function emitWords(
  store: PostgresWorkerStore,
  { session, message, words, begun }: { session: string; message: string; words: number; begun: Map<string, number> },
): Promise<void> {
  let offset = 0;
  for (let at = 0; at < words; at++) {
    const word = `${message}-${at}`;
    const text = `${word} `;
    begun.set(word, performance.now());
    store.emitLive({ type: 'message.delta', session, message, part: 'text', offset, text }, (raw) => raw);
    offset += text.length;
    await sleep(WORD_MS);
  }
}

/** Appends each second, each durable before the next. */
async function readAppends(store: PostgresWorkerStore, session: string, ms: number): Promise<number> {
  const lease = (await store.claim(session))!;
  const begun = performance.now();
  let count = 0;
  for (; performance.now() - begun < ms; count++) await store.append(session, [toNotice('An event')], { lease });
  const rate = (count * 1_000) / (performance.now() - begun);
  await lease.release();
  return rate;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
