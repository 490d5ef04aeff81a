import { describeStore } from '../conformance/describe-store.ts';
import { startStoreProcess } from '../fixtures/store-process.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
import { Database } from './database.ts';
import { toDatabaseFile } from './open-database.ts';
import { createSqliteStore } from './sqlite-store.ts';

describeStore('SQLite', async () => {
  const home = createTemporaryHome();
  const stack = new AsyncDisposableStack();
  stack.defer(() => home[Symbol.dispose]());
  return {
    async open() {
      const store = createSqliteStore({ home: home.path });
      stack.defer(() => store.close());
      return { ...store, [Symbol.asyncDispose]: () => store.close() };
    },
    start: async () => startStoreProcess(home.path),
    async damage(session, seq, record) {
      const database = new Database(toDatabaseFile(home.path));
      const where = 'WHERE session_id = ?1 AND seq = ?2';
      if (record === undefined) database.run(`DELETE FROM events ${where}`, session, seq);
      else database.run(`UPDATE events SET record = ?3 ${where}`, session, seq, record);
      database.close();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
});
