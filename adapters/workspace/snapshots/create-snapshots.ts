import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@klaus/adapters/system';
import { toPlain } from './path.ts';
import { KlausError, type TreeChange, type TreeEntry, type TreeId } from '@klaus/core/protocol';
import type {
  ApplyGitOptions,
  ApplyOptions,
  ApplyResult,
  SnapshotOptions,
  Snapshots,
  ToolFolder,
} from '@klaus/core/agent';
import { hasByteNames } from '../byte-names.ts';
import { openWorkspaceRoot } from '../root.ts';
import { applyChanges } from './restore/apply.ts';
import { corrupt, Database, guarded, toSnapshotError } from './database.ts';
import { collectGarbage, type GcOptions, type GcReport } from './objects/gc.ts';
import { scanGitContents } from './git/git-contents.ts';
import { applyGitChanges, scanGitData } from './git/git-data.ts';
import { hasGitObject } from './git/git-objects.ts';
import { hasSameEntries, IndexComparer, readGitlinks, storeRepairedIndex } from './git/index-files.ts';
import { markStores, readGitStates, toGitPaths, type GitState } from './git/git-state.ts';
import { withScan, type SnapshotStore } from './snapshot-store.ts';
import { withLock } from './lock.ts';
import { Objects } from './objects/objects.ts';
import { isPlaceholder } from './scan/placeholder.ts';
import { Yielder } from '../yielder.ts';
import { scanAt, scanPaths } from './scan/scan-paths.ts';
import { StatCache } from './scan/stat-cache.ts';
import { ToolFolders } from './scan/tool-folders.ts';
import { TrackedFiles } from './scan/tracked.ts';
import { prepareStore } from './snapshot-stores.ts';
import { readScanned } from './scanned-metadata.ts';
import { hasState, readMetadata, toStateWrite, type Uncovered } from './states.ts';
import { editState, storeContent } from './edit-state.ts';
import { toExcluded } from './excluded.ts';
import { finishPlans } from './restore/restore-plan.ts';
import { EMPTY, toTreeEntry } from './tree.ts';
import { readChangeTimes } from './scan/change-times.ts';
import { checkOut } from './transfer/check-out.ts';
import { findUnstored } from './transfer/find-unstored.ts';
import { packState } from './transfer/pack-state.ts';
import { unpackState } from './transfer/unpack-state.ts';
import { toTreeHash, Trees } from './trees.ts';
import type { LocalSnapshots, SnapshotsOptions } from './local-snapshots.ts';

/**
 * Opens the snapshots of a workspace, and finishes the restore of a killed process.
 *
 * @throws KlausError `workspace.missing`, `store.full`, `store.corrupt`, `store.busy`.
 */
export async function createSnapshots(root: string, options: SnapshotsOptions): Promise<LocalSnapshots> {
  const opened = openWorkspaceRoot(root, { allowAny: true });
  guarded(options.stateDir, () => makeFolder(options.stateDir));
  const db = new Database(prepareStore(options.stateDir, opened.path));
  try {
    const store: SnapshotStore = {
      root: opened,
      db,
      statCache: new StatCache(db),
      trees: new Trees(db),
      objects: new Objects(db),
      excluded: toExcluded(opened.path, options),
      isPlaceholder: options.isPlaceholder ?? (() => false),
      limits: options.limits ?? { workspace: 0, total: 0 },
      cover: options.cover ?? 'all',
      toolFolders: new ToolFolders(db),
      tracked: new TrackedFiles(),
    };
    if (db.get('SELECT 1 FROM steps LIMIT 1')) await withLock(db.folder, { alone: true }, () => finishPlans(store));
    return new FolderSnapshots(store);
  } catch (error) {
    db.close();
    throw error;
  }
}

class FolderSnapshots implements LocalSnapshots {
  readonly #store: SnapshotStore;
  readonly #indexes = new IndexComparer(this);
  #repositories: readonly string[] = [];
  /** The last state of git's own data and the folders of objects then, whose metadata is stored. */
  #lastGit = '';

  constructor(store: SnapshotStore) {
    this.#store = store;
  }

  get repositories(): readonly string[] {
    return this.#repositories;
  }

  snapshot(options: SnapshotOptions = {}): Promise<TreeId> {
    const { folder, signal } = options;
    const root = folder === undefined ? this.#store.root : openWorkspaceRoot(folder, { allowAny: true });
    const yielder = new Yielder(signal);
    const updatesCache = folder === undefined;
    return this.#locked({ alone: false, signal }, () =>
      withScan(this.#store, { root, updatesCache, yielder, onProgress: options.onProgress }, async (scan) => {
        yielder.check();
        const base = options.only && toTreeHash(this.#store.trees, options.only.base);
        const paths = options.only?.paths.map(toPlain);
        // Who names a path does not spell it as states do.
        const isNamed = paths?.every((path) => path !== '' && !hasByteNames(path));
        const isPartial = base !== undefined && paths !== undefined && isNamed === true;
        const tree = isPartial ? await scanPaths(scan, { root, base, paths }) : await scanAt(root, scan, '');
        if (tree === undefined)
          throw new KlausError('workspace.missing', `The workspace ${root.path} does not exist any more.`);
        if (tree.equals(EMPTY)) scan.batch.tree(Buffer.alloc(0));
        const known = isPartial ? readMetadata(this.#store.db, base) : { git: [], uncovered: [] };
        const metadata = await readScanned(scan, { root, known, paths: isPartial ? paths : [''] });
        await scan.batch.flush(toStateWrite(this.#store.db, tree, { metadata, isLast: updatesCache }));
        if (updatesCache) this.#repositories = toGitPaths(metadata.git);
        return tree.toString('hex');
      }),
    );
  }

  snapshotGit(tree: TreeId): Promise<TreeId | undefined> {
    const { root, trees, db } = this.#store;
    return this.#locked({ alone: false }, async () => {
      const repositories = toGitPaths(readMetadata(db, toTreeHash(trees, tree)).git);
      if (repositories.length === 0) return undefined;
      return withScan(this.#store, { root, updatesCache: true, yielder: new Yielder() }, async (scan) => {
        const state = await scanGitData(scan, { root, repositories });
        // The refs are part of the state, so a known state already has them. The objects may be elsewhere.
        const now = `${state.toString('hex')} ${await markStores(root, repositories)}`;
        const metadata =
          hasState(db, state) && now === this.#lastGit
            ? {}
            : { metadata: { git: await readGitStates(root, repositories), uncovered: [] } };
        await scan.batch.flush(toStateWrite(db, state, { ...metadata, isLast: false }));
        this.#lastGit = now;
        return state.toString('hex');
      });
    });
  }

  snapshotGitContents(git: TreeId): Promise<TreeId> {
    const { root, trees, db } = this.#store;
    return this.#locked({ alone: false }, () =>
      withScan(this.#store, { root, updatesCache: true, yielder: new Yielder() }, async (scan) => {
        const contents = await scanGitContents(scan, { root, state: toTreeHash(trees, git) });
        await scan.batch.flush(toStateWrite(db, contents, { isLast: false }));
        return contents.toString('hex');
      }),
    );
  }

  hasGitObject(gitFolder: string, id: string): boolean {
    return hasGitObject(join(this.#store.root.path, gitFolder, 'objects'), id);
  }

  compareIndexes(...[before, after]: Parameters<Snapshots['compareIndexes']>): ReturnType<Snapshots['compareIndexes']> {
    return this.#indexes.compare(before, after);
  }

  repairIndex(...[index, edits]: Parameters<Snapshots['repairIndex']>): ReturnType<Snapshots['repairIndex']> {
    return storeRepairedIndex(this, index, edits);
  }

  gitlinks(index: TreeEntry): Promise<string[] | undefined> {
    return readGitlinks(this, index);
  }

  isSameIndex(a: TreeEntry, b: TreeEntry): Promise<boolean> {
    return hasSameEntries(this, a, b);
  }

  has(tree: TreeId): boolean {
    // Objects are never removed before their directory object, so its existence implies theirs.
    const hash = Buffer.from(tree, 'hex');
    if (hash.length !== 32 || !this.#store.trees.has(hash)) return false;
    const packs = this.#store.db.all<{ pack: string; size: number }>(
      'SELECT pack, max(at + stored) AS size FROM blocks WHERE pack IS NOT NULL GROUP BY pack',
    );
    return packs.every(({ pack, size }) => {
      const stat = lstatSync(join(this.#store.db.folder, 'packs', pack), { throwIfNoEntry: false });
      return stat !== undefined && stat.size >= size;
    });
  }

  async changes(from: TreeId, to: TreeId): Promise<TreeChange[]> {
    const { trees } = this.#store;
    const rows = await trees.changes(toTreeHash(trees, from), toTreeHash(trees, to), new Yielder());
    return rows.filter((row) => !isPlaceholder(row, rows));
  }

  async entry(tree: TreeId, path: string): Promise<TreeEntry | undefined> {
    const { trees } = this.#store;
    const node = trees.find(toTreeHash(trees, tree), path);
    return node && toTreeEntry(node);
  }

  async links(tree: TreeId): Promise<readonly { path: string; entry: TreeEntry }[]> {
    const { trees } = this.#store;
    const found = await trees.links(toTreeHash(trees, tree), new Yielder());
    return found.map(({ path, node }) => ({ path, entry: toTreeEntry(node) }));
  }

  edit(base: TreeId, rows: readonly TreeChange[]): Promise<TreeId> {
    return this.#locked({ alone: false }, () => editState(this.#store, base, rows));
  }

  async changeTimes(paths: readonly string[]): Promise<ReadonlyMap<string, number | undefined>> {
    return readChangeTimes(this.#store.root, paths);
  }

  async content(entry: TreeEntry): Promise<Uint8Array> {
    const hash = Buffer.from(entry.hash, 'hex');
    if (hash.length !== 32) throw corrupt(this.#store.db.folder, `"${entry.hash}" is not a hash`);
    return this.#guard(() => this.#store.objects.read(hash));
  }

  isStored({ type, hash }: TreeEntry): boolean {
    if (type === 'directory') return true;
    const bytes = Buffer.from(hash, 'hex');
    return bytes.length === 32 && this.#store.objects.has(bytes);
  }

  toolFolders(): ToolFolder[] {
    const { statCache, toolFolders } = this.#store;
    if (statCache.refresh()) toolFolders.refresh();
    return [...toolFolders.all].map(([path, { isActive }]) => ({ path, isActive }));
  }

  put(content: Uint8Array, entry: Pick<TreeEntry, 'type' | 'mode'>): Promise<TreeEntry> {
    return this.#locked({ alone: false }, () => storeContent(this.#store, content, entry));
  }

  apply(changes: readonly TreeChange[], options: ApplyOptions = {}): Promise<ApplyResult> {
    return this.#locked({ alone: true }, () => applyChanges(this.#store, changes, options));
  }

  applyGit(changes: readonly TreeChange[], options: ApplyGitOptions = {}): Promise<ApplyResult> {
    return this.#locked({ alone: true }, () => applyGitChanges(this.#store, changes, options));
  }

  git(tree: TreeId): GitState[] {
    return readMetadata(this.#store.db, toTreeHash(this.#store.trees, tree)).git;
  }

  uncovered(tree: TreeId): Uncovered[] {
    return readMetadata(this.#store.db, toTreeHash(this.#store.trees, tree)).uncovered;
  }

  gc(options: GcOptions): Promise<GcReport> {
    return this.#locked({ alone: true }, async () => {
      await finishPlans(this.#store);
      return collectGarbage(this.#store, options);
    });
  }

  pack(tree: TreeId, since?: TreeId): AsyncIterable<Uint8Array> {
    return packState(this.#store, { tree, since });
  }

  unpack(packs: AsyncIterable<Uint8Array>, tree: TreeId): Promise<void> {
    return this.#locked({ alone: false }, () => unpackState(this.#store, packs, tree));
  }

  withoutUnstored(tree: TreeId): Promise<TreeId> {
    const { trees, objects, db } = this.#store;
    const rows = db.isIncomplete ? findUnstored({ trees, objects }, toTreeHash(trees, tree)) : [];
    return rows.length === 0 ? Promise.resolve(tree) : this.edit(tree, rows);
  }

  checkOut(tree: TreeId): Promise<void> {
    return this.#locked({ alone: true }, () => checkOut(this.#store, tree));
  }

  close(): void {
    this.#store.db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #locked<T>(options: { alone: boolean; signal?: AbortSignal }, work: () => Promise<T>): Promise<T> {
    const { db } = this.#store;
    return this.#guard(() =>
      withLock(db.folder, options, async () => {
        // A process that was killed during a restore released the lock but left an unfinished plan.
        if (!options.alone && db.get('SELECT 1 FROM steps LIMIT 1')) return undefined;
        return { value: await work() };
      }).then(async (done) => {
        if (done) return done.value;
        await withLock(db.folder, { alone: true }, () => finishPlans(this.#store));
        return this.#locked(options, work);
      }),
    );
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toSnapshotError(error, this.#store.db.folder);
    }
  }
}
