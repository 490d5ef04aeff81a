import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import { createSqliteStore } from './sqlite-store.ts';

/** A file system of its own in memory; undefined where this process may not mount one. */
function mountSmallDisk(): (Disposable & { path: string; remount(option: string): void }) | undefined {
  const path = mkdtempSync(join(tmpdir(), 'klaus-disk-'));
  const mount = (...options: string[]) => spawnSync('mount', options, { stdio: 'ignore' }).status === 0;
  if (!mount('-t', 'tmpfs', '-o', 'size=3m', 'klaus-test', path)) {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    remount(option) {
      if (!mount('-o', `remount,${option}`, path)) throw new Error(`cannot remount with ${option}`);
    },
    [Symbol.dispose]() {
      spawnSync('umount', [path]);
      rmdirSync(path);
    },
  };
}

const canMount = (() => {
  using disk = mountSmallDisk();
  return disk !== undefined;
})();

test.skipIf(!canMount)('a full disk stops the append, not what is durable (needs the right to mount)', async () => {
  using disk = mountSmallDisk()!;
  using store = createSqliteStore({ home: disk.path });
  const lease = (await store.claim('A'))!;
  let durable = 0;
  const failure = await (async () => {
    for (;;) {
      try {
        await store.append('A', [toNotice('x'.repeat(20_000)), toNotice('y'.repeat(20_000))], { lease });
        durable += 2;
      } catch (error) {
        return error;
      }
    }
  })();
  expect(failure).toMatchObject({ code: 'store.full', hint: expect.stringContaining('space') });
  expect(durable).toBeGreaterThan(10);
  expect([...store.view.events('A')]).toHaveLength(durable);
  expect(await store.verify('A')).toEqual({ intact: true, records: durable });

  const writer = store.writeBlob();
  for (let count = 0; count < 40; count++) writer.write(Buffer.alloc(100_000, count));
  await expect(writer.finish()).rejects.toMatchObject({ code: 'store.full' });

  disk.remount('size=8m');
  const [next] = await store.append('A', [toNotice('there is room again')], { lease });
  expect(next!.seq).toBe(durable + 1);
  expect(await store.verify('A')).toEqual({ intact: true, records: durable + 1 });
});

test.skipIf(!canMount)('a disk that can only be read is said to be so (needs the right to mount)', async () => {
  using disk = mountSmallDisk()!;
  await createSqliteStore({ home: disk.path }).close();
  disk.remount('ro');
  expect(() => createSqliteStore({ home: disk.path })).toThrow(expect.objectContaining({ code: 'store.full' }));
});
