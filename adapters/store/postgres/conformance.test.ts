import { afterAll, beforeAll, describe } from 'vitest';
import { describeStore } from '../conformance/describe-store.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../fixtures/postgres-server.ts';
import { startStoreProcess } from '../fixtures/store-process.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
import { createPostgresStore } from './postgres-store.ts';

describe.skipIf(!findPostgres())('the store in Postgres (needs Postgres)', () => {
  let server: PostgresDatabases;
  beforeAll(async () => void (server = await openPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  describeStore('Postgres', async () => {
    const home = createTemporaryHome();
    const stack = new AsyncDisposableStack();
    stack.defer(() => home[Symbol.dispose]());
    const url = await server.createDatabase();
    stack.defer(() => server.dropDatabase(url));
    return {
      async open() {
        const store = await createPostgresStore({ url, home: home.path });
        stack.defer(() => store.close());
        return { ...store, [Symbol.asyncDispose]: () => store.close() };
      },
      start: async () => startStoreProcess(home.path, url),
      async damage(session, seq, record) {
        const where = 'WHERE session_id = $1 AND seq = $2';
        if (record === undefined) await server.query(`DELETE FROM events ${where}`, [session, seq], url);
        else await server.query(`UPDATE events SET record = $3 ${where}`, [session, seq, record], url);
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  });
});
