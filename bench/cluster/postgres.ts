import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { toNotice } from '../../adapters/store/fixtures/sample-events.ts';
import { findPostgres, startPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';

const SINGLE = 'single appends to Postgres, each durable before the next';
const GROUPS = { sessions: 50, events: 4 };

/** Appends to the Postgres store, one after the other and in groups. */
export const postgres: Benchmark = {
  name: 'postgres',
  async run({ quick }) {
    if (findPostgres() === undefined) return [{ name: SINGLE, skipped: 'Postgres is not installed' }];
    const rounds = quick ? 4 : 20;
    await using server = await startPostgres({ isDurable: true });
    using place = createTestHome();
    const url = await server.createDatabase();
    const store = await createPostgresWorkerStore({ url, home: place.home });
    const bare = await server.connect(url);
    try {
      await bare.query('CREATE TABLE bare (id bigint PRIMARY KEY, record text NOT NULL)');
      const lease = (await store.claim('single'))!;
      const rates = { klaus: [] as number[], bare: [] as number[] };
      let id = 0;
      // The first round connects and prepares.
      for (let round = 0; round <= rounds; round++) {
        const klaus = await toRate(100, async () => {
          await store.append('single', [toNotice('An event of ordinary length')], { lease });
        });
        const record = JSON.stringify({ ...toNotice('An event of ordinary length'), prev: 'a'.repeat(64) });
        const own = await toRate(100, async () => {
          await bare.query({ name: 'add', text: 'INSERT INTO bare VALUES ($1, $2)', values: [(id += 1), record] });
        });
        if (round > 0) rates.klaus.push(klaus);
        if (round > 0) rates.bare.push(own);
      }
      const what = 'an INSERT of the same text into a table with one index, and its commit';
      return [
        {
          name: SINGLE,
          value: median(rates.klaus),
          unit: 'events/s',
          bare: { value: median(rates.bare), what },
          least: { times: 0.7 },
        },
        {
          name: 'appends of 50 sessions at the same time',
          value: await readGroups(store, rounds),
          unit: 'events/s',
          least: 5_000,
        },
      ];
    } finally {
      await bare.end();
      await store.close();
    }
  },
};

async function readGroups(store: PostgresWorkerStore, rounds: number): Promise<number> {
  const leases = await Promise.all(Array.from({ length: GROUPS.sessions }, (_, at) => store.claim(`group ${at}`)));
  const drafts = Array.from({ length: GROUPS.events }, () => toNotice('An event of ordinary length'));
  const work = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => store.append(lease!.session, drafts, { lease: lease! })));
  };
  await work();
  return (await toRate(rounds * 5, work)) * GROUPS.sessions * GROUPS.events;
}

/** Calls per second, one after the other. */
async function toRate(calls: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  for (let call = 0; call < calls; call++) await work();
  return (calls * 1_000) / (performance.now() - begun);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
