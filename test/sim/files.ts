import { hash } from 'node:crypto';
import type {
  ApplyResult,
  Conflict,
  FileEdit,
  Layer,
  Layers,
  Snapshots,
  SnapshotOptions,
  Workspace,
} from '@klaus/core/agent';
import { KlausError, type FileChange, type TreeChange, type TreeEntry, type TreeId } from '@klaus/core/protocol';
import type { Host, Scheduler } from './scheduler.ts';

/** The simulated workspace's root. */
export const ROOT = '/w';

export function toHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Content by path: a simulated folder. */
type Folder = Map<string, string>;

interface Change {
  moment: number;
  path: string;
}

const MODE = 0o644;

/** The files of the simulated machine. They survive every process. */
export class Files {
  readonly workspace: Folder = new Map();
  readonly layers = new Map<string, Folder>();
  /** Number of calls of `changed`. */
  #moment = 0;
  readonly #changes: Change[] = [];
  readonly #trees = new Map<TreeId, Folder>();
  readonly #contents = new Map<string, string>();
  #opened = 0;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Writes or, with null, deletes in the workspace or in a layer. */
  write(path: string, text: string | null, folder = ROOT): void {
    const place = this.#folder(folder);
    if (text === null) place.delete(path);
    else place.set(path, text);
    if (place === this.workspace) this.#changes.push({ moment: ++this.#moment, path });
  }

  read(path: string, folder = ROOT): string | undefined {
    return this.#folder(folder).get(path);
  }

  #folder(name: string): Folder {
    const found = name === ROOT ? this.workspace : this.layers.get(name);
    if (!found) throw new Error(`no folder ${name}`);
    return found;
  }

  /** The workspace port of one process. */
  workspaceOf(host: Host): Workspace {
    const scheduler = this.#scheduler;
    const check = (path: string): string => {
      if (path.startsWith('..')) throw new KlausError('workspace.outside', `${path} is outside the workspace.`);
      return path;
    };
    const text = (path: string): string | undefined => this.workspace.get(check(path));
    return {
      root: ROOT,
      locate: async (path) =>
        path.startsWith('..') ? { outside: path } : { inside: { relative: path, absolute: `${ROOT}/${path}` } },
      resolve: async (path) => ({ relative: check(path), absolute: `${ROOT}/${path}` }),
      async stat(path) {
        await scheduler.pause(host, 'workspace stat');
        const found = text(path);
        return found === undefined ? undefined : { kind: 'file', size: Buffer.byteLength(found), mode: MODE };
      },
      async read(path) {
        await scheduler.pause(host, 'workspace read');
        const found = text(path);
        if (found === undefined) throw new KlausError('tool.failed', `There is no ${path}.`);
        return new TextEncoder().encode(found);
      },
      async hash(path) {
        await scheduler.pause(host, 'workspace hash');
        const found = text(path);
        return found === undefined ? null : toHash(found);
      },
      otherNames: async () => ({ names: [], isShared: false }),
      apply: (edits) => this.#apply(host, edits),
      mark: async () => {
        await scheduler.pause(host, 'workspace mark');
        return String(this.#moment);
      },
      changedSince: async (mark, { limit = 1_000 } = {}) => {
        await scheduler.pause(host, 'workspace changes');
        const paths = new Set(this.#changes.filter(({ moment }) => moment > Number(mark)).map(({ path }) => path));
        return [...paths]
          .toSorted()
          .slice(0, limit)
          .map((path): FileChange => {
            const now = this.workspace.get(path);
            const kind = now === undefined ? 'deleted' : 'modified';
            return { path, kind, before: null, after: now === undefined ? null : toHash(now) };
          });
      },
    };
  }

  /** Several files are not replaced atomically: a kill can happen between two of them. */
  async #apply(host: Host, edits: readonly FileEdit[]): Promise<FileChange[]> {
    await this.#scheduler.pause(host, 'workspace apply');
    const toState = (path: string): string | null => {
      const text = this.workspace.get(path);
      return text === undefined ? null : toHash(text);
    };
    const bad = edits.find(({ path, before }) => toState(path) !== before);
    if (bad) throw new KlausError('workspace.conflict', `${bad.path} changed at the same time.`);
    const changes: FileChange[] = [];
    for (const [at, { path, content, before }] of edits.entries()) {
      if (at > 0) await this.#scheduler.pause(host, 'workspace half');
      this.write(path, content && new TextDecoder().decode(content));
      const after = toState(path);
      const kind = after === null ? 'deleted' : before === null ? 'created' : 'modified';
      changes.push({ path, kind, before, after, ...(after === null ? {} : { mode: MODE }) });
    }
    await this.#scheduler.pause(host, 'workspace applied');
    return changes;
  }

  /** The snapshots port of one process; `check` may refuse a snapshot. */
  snapshotsOf(host: Host, check: () => void): Snapshots {
    const scheduler = this.#scheduler;
    return {
      snapshot: async ({ only, folder, signal }: SnapshotOptions = {}) => {
        await scheduler.pause(host, 'snapshot');
        if (signal?.aborted) throw new KlausError('cancelled', 'Stopped while the workspace was looked at.');
        check();
        return this.#keep(this.#folder(folder ?? ROOT), only);
      },
      // The simulated workspace contains no repository.
      snapshotGit: async () => undefined,
      hasGitObject: () => false,
      isSameIndex: async () => false,
      gitlinks: async () => undefined,
      compareIndexes: async () => undefined,
      repairIndex: async () => undefined,
      links: async () => [],
      applyGit: async () => ({ applied: false, conflicts: [] }),
      has: (tree) => this.#trees.has(tree),
      uncovered: () => [],
      isStored: () => true,
      toolFolders: () => [],
      git: () => [],
      changes: async (from, to) => {
        await scheduler.pause(host, 'snapshots changes');
        return this.#compare(this.#tree(from), this.#tree(to));
      },
      entry: async (tree, path) => this.#entry(this.#tree(tree).get(path)) ?? undefined,
      content: async ({ hash }) => new TextEncoder().encode(this.#contents.get(hash)),
      edit: async (base, rows) => {
        const tree = new Map(this.#tree(base));
        for (const { path, after } of rows)
          if (after) tree.set(path, this.#contents.get(after.hash) ?? '');
          else tree.delete(path);
        return this.#keep(tree);
      },
      // Simulated files have no times.
      changeTimes: async () => new Map(),
      put: async (content) => this.#entry(new TextDecoder().decode(content))!,
      apply: async (changes, { overwrite = new Set<string>() } = {}) => {
        await scheduler.pause(host, 'snapshots apply');
        const result = this.#restore(changes, overwrite);
        await scheduler.pause(host, 'snapshots applied');
        return result;
      },
    };
  }

  /** The files of a kept state. */
  contentOf(tree: TreeId): readonly [path: string, text: string][] {
    return [...this.#tree(tree)];
  }

  #tree(id: TreeId): Folder {
    const tree = this.#trees.get(id);
    if (!tree) throw new KlausError('usage', `The state ${id} is not kept.`);
    return tree;
  }

  #keep(folder: Folder, only?: SnapshotOptions['only']): TreeId {
    let tree: Folder = new Map(folder);
    if (only) {
      const isLookedAt = (path: string): boolean =>
        only.paths.some((one) => one === '' || path === one || path.startsWith(`${one}/`));
      tree = new Map([...this.#tree(only.base)].filter(([path]) => !isLookedAt(path)));
      for (const [path, text] of folder) if (isLookedAt(path)) tree.set(path, text);
    }
    for (const path of tree.keys()) if (path.startsWith('.git/')) tree.delete(path);
    for (const text of tree.values()) this.#entry(text);
    const id = toHash(JSON.stringify([...tree].toSorted(([a], [b]) => (a < b ? -1 : 1))));
    this.#trees.set(id, tree);
    return id;
  }

  #entry(text: string | undefined): TreeEntry | null {
    if (text === undefined) return null;
    const entry: TreeEntry = { type: 'file', hash: toHash(text), size: Buffer.byteLength(text), mode: MODE };
    this.#contents.set(entry.hash, text);
    return entry;
  }

  #compare(from: Folder, to: Folder): TreeChange[] {
    return [...new Set([...from.keys(), ...to.keys()])].toSorted().flatMap((path) => {
      const before = this.#entry(from.get(path));
      const after = this.#entry(to.get(path));
      if (before?.hash === after?.hash) return [];
      const kind = before === null ? 'created' : after === null ? 'deleted' : 'modified';
      return [{ path, kind, before, after }];
    });
  }

  #restore(changes: readonly TreeChange[], overwrite: ReadonlySet<string>): ApplyResult {
    const conflicts: Conflict[] = changes.flatMap(({ path, before, after }) => {
      const found = this.#entry(this.workspace.get(path));
      const isFine = found?.hash === before?.hash || found?.hash === after?.hash || overwrite.has(path);
      return isFine ? [] : [{ path, expected: before, found }];
    });
    if (conflicts.length > 0) return { applied: false, conflicts };
    const before = this.#keep(this.workspace);
    for (const { path, after } of changes) {
      this.write(path, after && (this.#contents.get(after.hash) ?? ''));
    }
    const after = this.#keep(this.workspace);
    return { applied: true, changes: [...changes], before, after };
  }

  layersOf(host: Host): Layers {
    return {
      open: async ({ signal } = {}): Promise<Layer> => {
        await this.#scheduler.pause(host, 'layer open');
        if (signal?.aborted) throw new KlausError('cancelled', 'Stopped before it began.');
        const folder = `/layers/${++this.#opened}`;
        const base = new Map(this.workspace);
        const own = new Map(base);
        this.layers.set(folder, own);
        return {
          kind: 'copy',
          folder,
          touched: async () => {
            await this.#scheduler.pause(host, 'layer touched');
            const rows = this.#compare(base, own).map(({ path }) => path);
            const isGit = (path: string): boolean => path.startsWith('.git/');
            return { paths: rows.filter((path) => !isGit(path)), git: rows.some(isGit) };
          },
          close: async () => {
            await this.#scheduler.pause(host, 'layer close');
            this.layers.delete(folder);
          },
        };
      },
    };
  }
}
