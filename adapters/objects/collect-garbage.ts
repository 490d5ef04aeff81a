import { GRACE_MS } from './grace.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

export interface GarbageOptions {
  /** Keys that begin with it are collected. */
  prefix: string;
  /** Of some keys those that something refers to, asked of the database at that moment. */
  findUsed: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Milliseconds since its last write for which an object is spared. Default {@link GRACE_MS}. */
  graceMs?: number;
  /** Default: the clock of this machine, in Unix milliseconds. */
  now?: () => number;
}

export interface GarbageReport {
  /** Objects that were looked at. */
  seen: number;
  deleted: number;
  /** Bytes of the deleted objects. */
  bytes: number;
}

/** Objects that are looked up together. */
const BATCH = 500;

/**
 * Deletes the objects that nothing refers to. An upload comes before the event that names it, so young objects are
 * spared. Several collections at the same time do no harm.
 */
export async function collectGarbage(objects: ObjectStore, options: GarbageOptions): Promise<GarbageReport> {
  const { prefix, findUsed, graceMs = GRACE_MS, now = Date.now } = options;
  const report: GarbageReport = { seen: 0, deleted: 0, bytes: 0 };
  let batch: StoredObject[] = [];
  const settle = async (): Promise<void> => {
    const used = await findUsed(batch.map(({ key }) => key));
    for (const { key, size } of batch) {
      if (used.has(key)) continue;
      // It may have been written again since it was listed.
      const present = await objects.stat(key);
      if (!present || now() - present.writtenAt < graceMs) continue;
      await objects.delete(key);
      report.deleted += 1;
      report.bytes += size;
    }
    batch = [];
  };
  for await (const object of objects.list(prefix)) {
    report.seen += 1;
    if (now() - object.writtenAt < graceMs) continue;
    batch.push(object);
    if (batch.length >= BATCH) await settle();
  }
  await settle();
  return report;
}
