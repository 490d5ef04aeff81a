import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Draft, Lease, Store } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { toOpening, toTurnDrafts } from './drafts.ts';
import { interleave } from './measure.ts';

const SESSION = '01KE0000000000000000BENCH1';
const GROUP = 10;

/** Events a second made durable, with chain and projections, beside bare rows of the same bytes. */
export const appendRate: Benchmark = {
  name: 'append',
  async run({ quick }) {
    const rounds = quick ? 3 : 9;
    const count = quick ? 140 : 420;
    using place = createTestHome();
    using store = createSqliteStore({ home: place.home });
    const lease = (await store.claim(SESSION))!;
    await store.append(SESSION, toOpening(place.workspace), { lease });
    using bare = openBare(join(place.home, '..', 'bare.sqlite'));
    const append = createAppender(store, lease);
    const rows: Row[] = [];
    for (const size of [1, GROUP]) {
      let records: string[] = [];
      const rate = await interleave(
        {
          klaus: async () => {
            const { perSecond, written } = await append(count, size);
            records = written;
            return perSecond;
          },
          // The first round, which does not count, begins with the other one: there are records by then.
          bare: async () => bare.insert(records, size),
        },
        rounds,
      );
      const how = size === 1 ? 'one by one' : `in groups of ${size}`;
      rows.push({
        name: `durable events, ${how}`,
        value: rate.klaus,
        unit: 'events/s',
        ...(size === 1 ? { least: { times: 0.6 } } : {}),
        bare: { value: rate.bare, what: `rows of the same bytes ${how}, synchronous=FULL` },
      });
    }
    await lease.release();
    return rows;
  },
};

function createAppender(store: Store, lease: Lease) {
  let turn = 0;
  return async (count: number, size: number) => {
    const drafts: Draft[] = [];
    while (drafts.length < count) drafts.push(...toTurnDrafts(++turn));
    const events: Event[] = [];
    const begun = performance.now();
    for (let at = 0; at < drafts.length; at += size) {
      events.push(...(await store.append(SESSION, drafts.slice(at, at + size), { lease })));
    }
    const seconds = (performance.now() - begun) / 1_000;
    // Outside the clock: the store has made these texts already.
    return { perSecond: drafts.length / seconds, written: events.map((event) => JSON.stringify(event)) };
  };
}

/** A table and nothing else. */
function openBare(file: string) {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  database.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, record TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO events (record) VALUES (?)');
  return {
    insert(records: readonly string[], size: number): number {
      if (records.length === 0) throw new Error('there are no records to insert');
      const begun = performance.now();
      for (let at = 0; at < records.length; at += size) {
        if (size > 1) database.exec('BEGIN IMMEDIATE');
        for (const record of records.slice(at, at + size)) insert.run(record);
        if (size > 1) database.exec('COMMIT');
      }
      return records.length / ((performance.now() - begun) / 1_000);
    },
    [Symbol.dispose](): void {
      database.close();
      rmSync(file, { force: true });
    },
  };
}
