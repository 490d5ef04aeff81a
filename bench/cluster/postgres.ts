import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { toNotice } from '../../adapters/store/fixtures/sample-events.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../adapters/store/fixtures/postgres-server.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';

const SINGLE = 'single appends to Postgres, each durable before the next';
/** Calls before the first round that counts. */
const WARM_UP = 3_000;
/** Stores that append at the same time. */
const PROCESSES = 8;
const GROUPS = { sessions: 50, events: 4 };

/** Appends to the Postgres store, one after the other and in groups. */
export const postgres: Benchmark = {
  name: 'postgres',
  async run({ quick }) {
    if (findPostgres() === undefined) return [{ name: SINGLE, skipped: 'Postgres is not installed' }];
    const rounds = quick ? 4 : 60;
    await using server = await startPostgres({ isDurable: true });
    using place = createTestHome();
    const url = await server.createDatabase();
    const store = await createPostgresWorkerStore({ url, home: place.home });
    const bare = await server.connect(url);
    try {
      await bare.query('CREATE TABLE bare (id bigint PRIMARY KEY, record text NOT NULL)');
      const lease = (await store.claim('single'))!;
      const rates = { klaus: [] as number[], bare: [] as number[] };
      const record = JSON.stringify({ ...toNotice('An event of ordinary length'), prev: 'a'.repeat(64) });
      let id = 0;
      for (let round = 0; round <= rounds; round++) {
        // The first round connects, prepares, and lets both programs be compiled, as in a worker after its first minutes.
        const calls = round === 0 ? WARM_UP : 100;
        const klaus = await toRate(calls, async () => {
          await store.append('single', [toNotice('An event of ordinary length')], { lease });
        });
        const own = await toRate(calls, async () => {
          await bare.query({ name: 'add', text: 'INSERT INTO bare VALUES ($1, $2)', values: [(id += 1), record] });
        });
        if (round > 0) rates.klaus.push(klaus);
        if (round > 0) rates.bare.push(own);
      }
      const many = await measureMany({ server, url, home: place.home, record }, quick ? 5 : 20);
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
          name: `single appends of ${PROCESSES} workers at the same time`,
          value: many.klaus,
          unit: 'events/s',
          bare: { value: many.bare, what: `the same INSERT over ${PROCESSES} connections` },
        },
        {
          name: 'appends of 50 sessions at the same time',
          value: await readGroups(store, quick ? 20 : 100),
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

/** The rates of several stores with a session each, and of as many connections, in rounds that alternate. */
async function measureMany(
  { server, url, home, record }: { server: PostgresServer; url: string; home: string; record: string },
  rounds: number,
): Promise<{ klaus: number; bare: number }> {
  await using stack = new AsyncDisposableStack();
  const works: { klaus: () => Promise<unknown>; bare: () => Promise<unknown> }[] = [];
  for (let at = 0; at < PROCESSES; at++) {
    const store = await createPostgresWorkerStore({ url, home });
    stack.defer(() => store.close());
    const bare = await server.connect(url);
    stack.defer(() => bare.end());
    const session = `process ${at}`;
    const lease = (await store.claim(session))!;
    let id = (at + 1) * 1e9;
    works.push({
      klaus: () => store.append(session, [toNotice('An event of ordinary length')], { lease }),
      bare: () => bare.query({ name: 'add', text: 'INSERT INTO bare VALUES ($1, $2)', values: [(id += 1), record] }),
    });
  }
  const rates = { klaus: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const kind of ['klaus', 'bare'] as const) {
      const all = await Promise.all(works.map((work) => toRate(100, async () => void (await work[kind]()))));
      if (round > 0) rates[kind].push(all.reduce((sum, rate) => sum + rate, 0));
    }
  }
  return { klaus: median(rates.klaus), bare: median(rates.bare) };
}

async function readGroups(store: PostgresWorkerStore, calls: number): Promise<number> {
  const leases = await Promise.all(Array.from({ length: GROUPS.sessions }, (_, at) => store.claim(`group ${at}`)));
  const drafts = Array.from({ length: GROUPS.events }, () => toNotice('An event of ordinary length'));
  const work = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => store.append(lease!.session, drafts, { lease: lease! })));
  };
  await work();
  return (await toRate(calls, work)) * GROUPS.sessions * GROUPS.events;
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
