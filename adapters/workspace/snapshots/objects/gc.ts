import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { isJudgedFile } from '@klaus/core/policy';
import type { TreeId } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { createPack, now, writeFully } from './object-writer.ts';
import { readBlock, readStored, toHashes, type BlockRow } from './objects.ts';
import { Yielder } from '../../yielder.ts';
import { joinNames, toAncestors } from '../../path-entry.ts';
import { toGitPaths, toStoreId } from '../git/git-state.ts';
import { listOwnAside, toAside } from '../git/set-aside.ts';
import { lastState, readMetadata } from '../states.ts';
import { EMPTY } from '../tree.ts';

const compress = promisify(zstdCompress);
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GRACE_S = 3_600;
const PAGE = 2_000;
/** All rows, by hash. */
const ALL = { key: 'hash', after: new Uint8Array(), size: PAGE } as const;
/** A block or a pack is rewritten when a smaller share of it is in use. */
const WORTH = 0.75;

export interface GcOptions {
  /** States to keep. The last state and those of the last hour are always kept. */
  keep: readonly TreeId[];
  /** Only reports what would be removed. Default false. */
  dryRun?: boolean;
}

export interface GcReport {
  /** Removed states. */
  states: number;
  /** Removed contents and directory objects. */
  objects: number;
  /** Their stored size in bytes. Free space in the database is reused and not returned to the system. */
  bytes: number;
}

interface Marks {
  trees: Set<string>;
  objects: Set<string>;
}

/** Removes data that no stored state needs. The caller holds the exclusive lock. */
export async function collectGarbage(store: SnapshotStore, options: GcOptions): Promise<GcReport> {
  const { db } = store;
  const yielder = new Yielder();
  const limit = now() - GRACE_S;
  const marks = await mark(store, toRoots(db, options.keep, limit), yielder);
  await markPresent(store, marks, yielder);
  const states = db
    .all<{ tree: Uint8Array }>('SELECT tree FROM states')
    .filter(({ tree }) => !marks.trees.has(toKey(tree)));
  const trees = await findDeadTrees(db, { marks, limit, yielder });
  const objects = await findDeadObjects(db, { marks, limit, yielder });
  const sweep = planBlocks(db, objects.live);
  const report: GcReport = {
    states: states.length,
    objects: trees.dead.length + objects.dead.length,
    bytes: trees.bytes + sweep.bytes,
  };
  if (options.dryRun) return report;
  await inSlices(db, yielder, { rows: states.map((it) => it.tree), sql: 'DELETE FROM states WHERE tree = ?' });
  await inSlices(db, yielder, { rows: trees.dead, sql: 'DELETE FROM trees WHERE hash = ?' });
  await inSlices(db, yielder, { rows: objects.dead, sql: 'DELETE FROM objects WHERE hash = ?' });
  await rewrite(db, sweep, yielder);
  removeUnusedPacks(db);
  dropAside(db, limit);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return report;
}

function toKey(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1');
}

function toRoots(db: Database, keep: readonly TreeId[], limit: number): Buffer[] {
  const young = db.all<{ tree: Uint8Array }>('SELECT tree FROM states WHERE at >= ?', limit);
  return [...keep.map((id) => Buffer.from(id, 'hex')), ...young.map(({ tree }) => Buffer.from(tree))];
}

async function mark(store: SnapshotStore, roots: readonly Buffer[], yielder: Yielder): Promise<Marks> {
  const marks: Marks = { trees: new Set(), objects: new Set() };
  const waiting = roots.filter((root) => root.equals(EMPTY) || store.trees.has(root));
  for (let hash = waiting.pop(); hash; hash = waiting.pop()) {
    const key = toKey(hash);
    if (marks.trees.has(key)) continue;
    marks.trees.add(key);
    for (const node of store.trees.nodes(hash)) {
      if (node.type === 'directory') waiting.push(node.hash);
      else marks.objects.add(toKey(node.hash));
    }
    if (yielder.due) await yielder.yield();
  }
  return marks;
}

/**
 * Marks the last state and what scans compare with. Of folders whose content is not stored any more, only the directory
 * objects and files by which Klaus judges are needed.
 */
async function markPresent({ db, trees, toolFolders }: SnapshotStore, marks: Marks, yielder: Yielder): Promise<void> {
  const last = lastState(db);
  const seen = db.all<{ path: string; tree: Uint8Array }>('SELECT path, tree FROM seen');
  const waiting = [
    ...seen.map(({ path, tree }) => ({ path, hash: Buffer.from(tree) })),
    ...(last ? [{ path: '', hash: last }] : []),
  ];
  const isListed = (path: string): boolean =>
    [...toAncestors(path), path].some((at) => {
      const folder = toolFolders.all.get(at);
      return folder?.isActive === true && !folder.isComplete;
    });
  const done = new Set<string>();
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const key = `${toKey(at.hash)}${at.path}`;
    if (done.has(key) || !trees.has(at.hash)) continue;
    done.add(key);
    marks.trees.add(toKey(at.hash));
    const listed = isListed(at.path);
    for (const node of trees.nodes(at.hash)) {
      const path = joinNames(at.path, node.name);
      if (node.type === 'directory') waiting.push({ path, hash: node.hash });
      else if (!listed || node.type === 'symlink' || isJudgedFile(path)) marks.objects.add(toKey(node.hash));
    }
    if (yielder.due) await yielder.yield();
  }
}

interface Search {
  marks: Marks;
  /** Seconds since 1970. Newer data is kept. */
  limit: number;
  yielder: Yielder;
}

async function findDeadTrees(
  db: Database,
  { marks, limit, yielder }: Search,
): Promise<{ dead: Buffer[]; bytes: number }> {
  const dead: Buffer[] = [];
  let bytes = 0;
  const sql = 'SELECT hash, length(data) AS size, made FROM trees WHERE hash > ? ORDER BY hash LIMIT ?';
  for (const row of db.pages<{ hash: Uint8Array; size: number; made: number }>(sql, ALL)) {
    if (yielder.due) await yielder.yield();
    if (marks.trees.has(toKey(row.hash)) || row.made >= limit) continue;
    dead.push(Buffer.from(row.hash));
    bytes += row.size;
  }
  return { dead, bytes };
}

/** Finds unused objects, and the bytes of used ones in each block. */
async function findDeadObjects(
  db: Database,
  { marks, limit, yielder }: Search,
): Promise<{ dead: Buffer[]; live: Map<number, number> }> {
  // Chunks first: they are in use as long as their file is.
  for (const row of db.all<{ hash: Uint8Array; chunks: Uint8Array; made: number }>(
    'SELECT hash, chunks, made FROM objects WHERE chunks IS NOT NULL',
  )) {
    if (!marks.objects.has(toKey(row.hash)) && row.made < limit) continue;
    for (const chunk of toHashes(row.chunks)) marks.objects.add(toKey(chunk));
  }
  const dead: Buffer[] = [];
  const live = new Map<number, number>();
  const sql = 'SELECT hash, size, block, made FROM objects WHERE hash > ? ORDER BY hash LIMIT ?';
  type Row = { hash: Uint8Array; size: number; block: number | null; made: number };
  for (const row of db.pages<Row>(sql, ALL)) {
    if (yielder.due) await yielder.yield();
    if (!marks.objects.has(toKey(row.hash)) && row.made < limit) dead.push(Buffer.from(row.hash));
    else if (row.block !== null) live.set(row.block, (live.get(row.block) ?? 0) + row.size);
  }
  return { dead, live };
}

interface Sweep {
  dropped: number[];
  /** Mostly unused blocks, whose used objects are written to a new block. */
  thinned: BlockRow[];
  /** Used blocks in a pack that is mostly unused. */
  moved: BlockRow[];
  bytes: number;
}

function planBlocks(db: Database, live: ReadonlyMap<number, number>): Sweep {
  const sweep: Sweep = { dropped: [], thinned: [], moved: [], bytes: 0 };
  const rows = db.all<BlockRow>('SELECT id, pack, at, stored, raw FROM blocks');
  const toUsed = (row: BlockRow): number => (live.get(row.id) ?? 0) / Math.max(1, row.raw);
  for (const row of rows) {
    const used = toUsed(row);
    if (used === 0) sweep.dropped.push(row.id);
    else if (used < WORTH) sweep.thinned.push(row);
    if (row.pack === null && used < WORTH) sweep.bytes += Math.round(row.stored * (1 - used));
  }
  for (const [pack, blocks] of Map.groupBy(rows, (row) => row.pack)) {
    const kept = blocks.filter((row) => toUsed(row) >= WORTH);
    const bytes = blocks.reduce((sum, row) => sum + row.stored, 0);
    const keptBytes = blocks.reduce((sum, row) => sum + row.stored * (toUsed(row) < WORTH ? toUsed(row) : 1), 0);
    if (pack === null || keptBytes >= bytes * WORTH) continue;
    sweep.bytes += Math.round(bytes - keptBytes);
    sweep.moved.push(...kept);
  }
  return sweep;
}

/** The new place of a block. */
interface Placed {
  id: number;
  at: number;
  stored: number;
  raw: number;
  /** Empty for a block that was moved without a change. */
  objects: { hash: Uint8Array; at: number }[];
}

/** Writes used data to a new pack, syncs it, and then updates the references. */
async function rewrite(db: Database, sweep: Sweep, yielder: Yielder): Promise<void> {
  if (sweep.thinned.length + sweep.moved.length > 0) {
    const pack = await createPack(db.folder);
    const placed: Placed[] = [];
    const append = async (bytes: Buffer, block: Omit<Placed, 'at'>): Promise<void> => {
      await writeFully(pack.handle, bytes, pack.size);
      placed.push({ ...block, at: pack.size });
      pack.size += bytes.length;
    };
    try {
      for (const row of sweep.moved)
        await append(await readStored(db, row), { id: row.id, stored: row.stored, raw: row.raw, objects: [] });
      for (const { id } of sweep.thinned) {
        const { raw, objects } = await thin(db, id);
        const packed = await compress(raw, LEVEL);
        const bytes = packed.length < raw.length ? packed : raw;
        await append(bytes, { id, stored: bytes.length, raw: raw.length, objects });
      }
      await pack.handle.datasync();
    } finally {
      await pack.handle.close();
    }
    for (const block of placed) {
      db.transaction(() => pointTo(db, pack.name, block));
      if (yielder.due) await yielder.yield();
    }
  }
  await inSlices(db, yielder, { rows: sweep.dropped, sql: 'DELETE FROM blocks WHERE id = ?' });
}

/** Updates a block. A block with new content gets a new id, because other processes may have cached the old one. */
function pointTo(db: Database, pack: string, { id, at, stored, raw, objects }: Placed): void {
  if (objects.length === 0) {
    db.run('UPDATE blocks SET pack = ?, at = ? WHERE id = ?', pack, at, id);
    return;
  }
  const sql = 'INSERT INTO blocks (pack, at, stored, raw) VALUES (?, ?, ?, ?)';
  const { lastInsertRowid: next } = db.run(sql, pack, at, stored, raw);
  for (const object of objects)
    db.run('UPDATE objects SET block = ?, at = ? WHERE hash = ?', next, object.at, object.hash);
  db.run('DELETE FROM blocks WHERE id = ?', id);
}

async function thin(db: Database, id: number): Promise<{ raw: Buffer; objects: Placed['objects'] }> {
  const block = await readBlock(db, id);
  const rows = db.all<{ hash: Uint8Array; at: number; size: number }>(
    'SELECT hash, at, size FROM objects WHERE block = ? ORDER BY at',
    id,
  );
  let at = 0;
  const objects = rows.map(({ hash, size }) => ({ hash, at: (at += size) - size }));
  return { raw: Buffer.concat(rows.map((row) => block.subarray(row.at, row.at + row.size))), objects };
}

/** Removes packs without blocks, including incomplete packs of killed processes. */
function removeUnusedPacks(db: Database): void {
  const folder = join(db.folder, 'packs');
  const used = new Set(
    db.all<{ pack: string }>('SELECT DISTINCT pack FROM blocks WHERE pack IS NOT NULL').map((it) => it.pack),
  );
  for (const name of readdirSync(folder)) {
    if (!used.has(name) && statSync(join(folder, name), { throwIfNoEntry: false }))
      rmSync(join(folder, name), { force: true });
  }
}

/**
 * Removes the objects of git folders that an undo removed, unless a remaining state has the repository. Those that were
 * set aside since `limit` (seconds since 1970) stay.
 */
function dropAside(db: Database, limit: number): void {
  const all = db.all<{ tree: Uint8Array }>('SELECT tree FROM states');
  const needed = all.flatMap(({ tree }) => readMetadata(db, Buffer.from(tree)).git);
  const [paths, stores] = [new Set(toGitPaths(needed)), new Set(needed.map(({ store }) => store))];
  for (const path of listOwnAside(db)) {
    const folder = toAside(db, path);
    const store = toStoreId(join(folder, 'objects'));
    const isNeeded = [path, ...toAncestors(path)].some((one) => paths.has(one)) || (store && stores.has(store));
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!isNeeded && stat && stat.ctimeMs / 1_000 < limit) rmSync(folder, { recursive: true, force: true });
  }
}

async function inSlices(
  db: Database,
  yielder: Yielder,
  { rows, sql }: { rows: readonly (Uint8Array | number)[]; sql: string },
): Promise<void> {
  for (let at = 0; at < rows.length; at += PAGE) {
    db.transaction(() => {
      for (const row of rows.slice(at, at + PAGE)) db.run(sql, row);
    });
    if (yielder.due) await yielder.yield();
  }
}
