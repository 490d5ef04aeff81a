import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { Database } from './database.ts';

/** SQLite refuses about one opening in fifty. */
const FOLDERS = 250;
const THREADS = 2;

/** Opens each folder at the same moment as the other thread, and posts the errors. */
const OPEN = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(({ Database }) => {
    const arrived = new Int32Array(workerData.shared);
    const errors = [];
    for (const [round, folder] of workerData.folders.entries()) {
      Atomics.add(arrived, round, 1);
      while (Atomics.load(arrived, round) < workerData.threads);
      try { new Database(folder).close(); } catch (error) { errors.push(String(error)); }
    }
    parentPort.postMessage(errors);
  });
`;

test('two threads that open a new database at the same moment both succeed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'klaus-test-'));
  const workerData = {
    module: join(import.meta.dirname, 'database.ts'),
    folders: Array.from({ length: FOLDERS }, (_, index) => join(root, `folder-${index}`)),
    shared: new SharedArrayBuffer(4 * FOLDERS),
    threads: THREADS,
  };
  const errors = await Promise.all(
    Array.from({ length: THREADS }, async () => {
      const worker = new Worker(OPEN, { eval: true, workerData });
      return new Promise<string[]>((resolve, reject) => worker.once('message', resolve).once('error', reject));
    }),
  );
  rmSync(root, { recursive: true });
  expect(errors.flat()).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'files of databases that were used long ago are closed, and opened again',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'klaus-test-'));
    const countOpen = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(join('/proc/self/fd', fd)).startsWith(root);
        } catch {
          return false;
        }
      }).length;
    const all = Array.from({ length: 40 }, (_, index) => new Database(join(root, `folder-${index}`)));
    expect(countOpen()).toBeLessThanOrEqual(3 * 16);
    for (const [index, db] of all.entries()) db.run('INSERT INTO meta VALUES (?, ?)', 'n', String(index));
    const held = all[0]!.transaction(() => {
      for (const db of all.slice(1)) db.get('SELECT value FROM meta');
      all[0]!.run('UPDATE meta SET value = ?', 'changed');
      return all[0]!.openings;
    });
    expect(all[0]!.openings).toBe(held);
    expect(all[0]!.get('SELECT value FROM meta')).toEqual({ value: 'changed' });
    expect(all[39]!.get('SELECT value FROM meta')).toEqual({ value: '39' });
    expect(all[39]!.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(countOpen()).toBeLessThanOrEqual(3 * 16);
    for (const db of all) db.close();
    expect(countOpen()).toBe(0);
    rmSync(root, { recursive: true });
  },
);
