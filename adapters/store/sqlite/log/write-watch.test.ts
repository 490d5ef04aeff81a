import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDatabase, prepareHome, toDatabaseFile } from '../open-database.ts';
import { watchWrites } from './write-watch.ts';

const home = mkdtempSync(join(tmpdir(), 'klaus-write-watch-'));
prepareHome(home);
const file = toDatabaseFile(home);
afterAll(() => rmSync(home, { recursive: true }));

test('writes of another connection are reported until the watch is stopped', async () => {
  const database = openDatabase(file);
  let notified = 0;
  let next = (): void => {};
  const stop = watchWrites(file, () => {
    notified++;
    next();
  });
  expect(stop).toBeDefined();
  for (let count = 0; count < 3; count++) {
    const soon = new Promise<void>((resolve) => (next = resolve));
    database.run(`CREATE TABLE written_${count} (id INTEGER)`);
    await soon;
  }
  stop!();
  expect(notified).toBeGreaterThanOrEqual(3);
  database.close();
});

test('a folder that is not there cannot be watched', () => {
  expect(watchWrites(join(home, 'nowhere', 'klaus.db'), () => {})).toBeUndefined();
});
