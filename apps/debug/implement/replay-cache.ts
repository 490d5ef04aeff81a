import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Part of each key: raised when the meaning of a file changes. */
const VERSION = 2;

export interface ReplayCache {
  /** The stored value, which is not checked against the schema. */
  read(): Promise<{ value: unknown } | undefined>;
  /** Complete or not at all. A folder that cannot be written is ignored. */
  write(value: unknown): Promise<void>;
}

/** One entry of the cache in `folder`, for everything in `key`. */
export function openReplayCache(folder: string, key: unknown): ReplayCache {
  const digest = createHash('sha256')
    .update(JSON.stringify([VERSION, key]))
    .digest('hex');
  const path = join(folder, `${digest.slice(0, 32)}.json`);
  return {
    async read() {
      try {
        const entry: unknown = JSON.parse(await readFile(path, 'utf8'));
        return typeof entry === 'object' && entry !== null && 'result' in entry ? { value: entry.result } : undefined;
      } catch {
        // Absent, or damaged: it is written again.
        return undefined;
      }
    },
    async write(value) {
      const temporary = `${path}.${randomUUID()}`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(temporary, JSON.stringify({ createdAt: new Date().toISOString(), result: value }), {
          mode: 0o600,
        });
        await rename(temporary, path);
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}
