import { describeStore } from '../conformance/describe-store.ts';
import { startStoreProcess } from '../fixtures/store-process.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
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
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
});
