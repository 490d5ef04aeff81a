import type { Database } from '../database.ts';
import { commit, now, type ObjectWriter, type Write } from './object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import type { StatCache } from '../scan/stat-cache.ts';
import type { ToolFolders, ToolFolderState } from '../scan/tool-folders.ts';
import { EMPTY, sha256 } from '../tree.ts';

const MAX_PENDING = 2_000;
/** For an existing object only the time of the last use is updated, at most every ten minutes. */
const INSERT_TREE = `INSERT INTO trees VALUES (?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET made = excluded.made WHERE made < excluded.made - 600`;

export type Batch = ReturnType<typeof createBatch>;

/** Collects directory objects and cache rows for the store, children before their parents. */
export function createBatch(
  { db, statCache, toolFolders }: { db: Database; statCache: StatCache; toolFolders: ToolFolders },
  writer: ObjectWriter,
  yielder: Yielder,
) {
  let trees: { hash: Buffer; bytes: Buffer }[] = [];
  let seen: { path: string; tree: Buffer; data: Buffer }[] = [];
  let forgotten: string[] = [];
  const forget = (path: string): void => {
    toolFolders.keepOwn(path);
    statCache.forget(path);
  };
  let tools: { path: string; state: ToolFolderState | undefined }[] = [];
  return {
    get full(): boolean {
      return trees.length + seen.length > MAX_PENDING;
    },
    tree(bytes: Buffer): Buffer {
      const hash = bytes.length === 0 ? EMPTY : sha256(bytes);
      trees.push({ hash, bytes });
      return hash;
    },
    seen(path: string, tree: Buffer, data: Buffer): void {
      seen.push({ path, tree, data });
    },
    /** Stores what is known of a folder with a marker. Undefined: it is not a tool's. */
    tool(path: string, { state }: { state: ToolFolderState | undefined }): void {
      tools.push({ path, state });
    },
    /** Removes a directory and its content from the cache. */
    forget(path: string): void {
      forgotten.push(path);
    },
    /**
     * Writes everything in an order in which no row refers to a missing one. Durable when it resolves.
     *
     * @param last The last write, in the same transaction if there are few writes.
     */
    async flush(last?: Write): Promise<void> {
      const writes = await writer.prepare();
      for (const { hash, bytes } of trees) writes.push(() => db.run(INSERT_TREE, hash, bytes, now()));
      // Before the cache of the files in it.
      for (const { path, state } of tools) writes.push(() => toolFolders.put(path, state));
      // Removals first, because a directory may have been removed and created again.
      for (const path of forgotten) writes.push(() => forget(path));
      for (const { path, tree, data } of seen) writes.push(() => statCache.put(path, tree, data));
      if (last) writes.push(last);
      trees = [];
      seen = [];
      forgotten = [];
      tools = [];
      try {
        await commit(db, yielder, writes);
      } catch (error) {
        // What is in memory may not be stored.
        toolFolders.refresh();
        throw error;
      }
    },
  };
}
