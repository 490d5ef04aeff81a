// Covers adapters/store/postgres/projections, adapters/store/postgres/log: a repair of a session beside its appends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSession } from '../../fixtures/add-session.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../fixtures/postgres-server.ts';
import { START, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { openDatabase } from '../database.ts';
import { createPostgresWorkerStore } from '../postgres-store.ts';
import { rebuildSession } from './rebuild-session.ts';

describe.skipIf(!findPostgres())('a repair of a session (needs Postgres)', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  test('an append that waits for it changes the rows that it wrote', async () => {
    using home = createTemporaryHome();
    const url = await server.createDatabase();
    await using open = new AsyncDisposableStack();
    const store = await createPostgresWorkerStore({ url, home: home.path });
    open.defer(() => store.close());
    await addSession(store, 'A', toSampleDrafts());
    const lease = (await store.claim('A'))!;
    const rename = (title: string) => store.append('A', [{ type: 'session.changed', title, at: START }], { lease });
    // The end of the log is known after it.
    await rename('before');
    const database = openDatabase({ url });
    open.defer(() => database.close());
    const appended = await database.transaction(async (sql) => {
      await rebuildSession(sql, 'A', { maxToolResultSize: 1_000 });
      const appending = rename('after');
      await expect.poll(() => server.query('SELECT pid FROM pg_locks WHERE NOT granted', [], url)).toHaveLength(1);
      return { appending };
    });
    await appended.appending;
    expect((await store.session('A'))!.title).toBe('after');
  });
});
