import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Ground } from '../ground.ts';
import type { LifeStores } from './life-stores.ts';

/** The folder of the simulated databases: in memory, if the machine has such a folder. */
export function toTemporary(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir()), 'klaus-sim-'));
}

/**
 * Lives over SQLite. One empty database is created and copied for each of them.
 *
 * @param isRemote True: like a store of several machines, for a comparison with one.
 */
export class SqliteGround implements Ground {
  readonly #folder = toTemporary();
  readonly #isRemote: boolean;
  #made = 0;

  constructor({ isRemote = false } = {}) {
    this.#isRemote = isRemote;
    createSqliteStore({ home: join(this.#folder, 'empty') })[Symbol.dispose]();
  }

  async openLife(): Promise<LifeStores> {
    const home = join(this.#folder, String(++this.#made));
    mkdirSync(home, { mode: 0o700 });
    copyFileSync(join(this.#folder, 'empty', 'klaus.db'), join(home, 'klaus.db'));
    const reader = createSqliteStore({ home, clock: { now: () => 0, every: () => () => {} } });
    return {
      durable: reader.view,
      isRemote: this.#isRemote,
      async open({ clock }) {
        const store = createSqliteStore({ home, clock });
        // The scheduler waits for every write, and the kernel releases the locks.
        return Object.assign(store, { kill: async () => store[Symbol.dispose]() });
      },
      async close() {
        reader[Symbol.dispose]();
        rmSync(home, { recursive: true, force: true });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
