import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

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
