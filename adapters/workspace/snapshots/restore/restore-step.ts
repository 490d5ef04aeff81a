import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { TreeEntry } from '@klaus/core/protocol';
import type { FileName } from '../../byte-names.ts';
import { O_PATH, type Directory } from '../../directory.ts';
import { parentOf } from '../../path-entry.ts';
import { codeOf, isRace, RaceError } from '../../race-error.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { isUnchanged, PERMISSIONS } from '../scan/path-state.ts';
import { writeFully } from '../objects/object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import { withParent } from './dir-handle.ts';

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OWNER_ALL = 0o700;
/** Number of files that are written concurrently, because each write waits for the disk. */
const WRITERS = 8;

/** The change of one path from its present state to its goal. */
export interface PathChange {
  path: string;
  now: TreeEntry | null;
  goal: TreeEntry | null;
  /** Its stat when the present state was read. */
  stat: Stats | undefined;
}

export interface StepOptions {
  /** Name, in the workspace, of the staging folder. */
  staging: string;
  /** Directories that their owner cannot write, with their modes, outermost first. They are writable during the step. */
  locked: readonly (readonly [path: string, mode: number])[];
  /** Skips impossible changes instead of throwing. For the step of a killed process. */
  lenient: boolean;
  yielder: Yielder;
}

/** A path was changed between the check and the step. */
export class ConflictError extends Error {
  readonly path: string;

  constructor(path: string) {
    super('The path was changed during the restore.');
    this.name = 'ConflictError';
    this.path = path;
  }
}

export class RestoreStep {
  readonly #store: SnapshotStore;
  readonly #options: StepOptions;
  /** Inodes of files from which this step has removed a hard link. */
  readonly #linked = new Set<number>();
  readonly #staged = new Map<string, string>();

  constructor(store: SnapshotStore, options: StepOptions) {
    this.#store = store;
    this.#options = options;
  }

  async unlock(): Promise<void> {
    for (const [path, mode] of this.#options.locked) await this.#chmodDirectory(path, mode | OWNER_ALL);
  }

  async stage(changes: readonly PathChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#inParent(this.#options.staging, (parent, name) => {
      try {
        mkdirSync(parent.child(name), OWNER_ALL);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    });
    for (const [i, { path }] of changes.entries()) this.#staged.set(path, String(i));
    let next = 0;
    const work = async () => {
      while (next < changes.length) {
        await this.#stageOne(changes[next++]!);
        if (this.#options.yielder.due) await this.#options.yielder.yield();
      }
    };
    const done = await Promise.allSettled(Array.from({ length: Math.min(WRITERS, changes.length) }, work));
    const failed = done.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #stageOne({ path, goal, stat }: PathChange): Promise<void> {
    const owner = stat ?? (await this.#nearestParent(path));
    const target = `${this.#options.staging}/${this.#staged.get(path)!}`;
    await this.#inParent(target, async (parent, name) => {
      const hash = Buffer.from(goal!.hash, 'hex');
      // It may remain from a killed attempt.
      parent.removeFile(name);
      if (goal!.type === 'symlink') {
        symlinkSync(await this.#store.objects.read(hash), parent.child(name));
        return;
      }
      const handle = await open(parent.child(name), 'wx', 0o600);
      try {
        for await (const piece of this.#store.objects.pieces(hash)) await writeFully(handle, piece, null);
        // Root preserves the owner of the file.
        if (process.geteuid?.() === 0 && owner) await handle.chown(owner.uid, owner.gid);
        await handle.chmod(goal!.mode);
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  }

  async #nearestParent(path: string): Promise<Stats | undefined> {
    for (let at = path; at !== '';) {
      at = parentOf(at);
      const stat = await withParent(this.#store.root, at === '' ? '.' : at, (parent, name) =>
        lstatSync(parent.child(name), { throwIfNoEntry: false }),
      );
      if (stat?.isDirectory()) return stat;
    }
    return undefined;
  }

  async removeFile(change: PathChange): Promise<void> {
    await this.#inParent(change.path, (parent, name) => {
      this.#check(parent, name, change);
      unlinkSync(parent.child(name));
    });
  }

  async removeDirectory({ path }: PathChange): Promise<void> {
    await this.#inParent(path, (parent, name) => {
      try {
        rmdirSync(parent.child(name));
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST', 'EBUSY'].includes(codeOf(error))) throw error;
        if (!this.#options.lenient) throw new ConflictError(path);
      }
    });
  }

  async makeDirectory({ path, stat }: PathChange): Promise<void> {
    await this.#inParent(path, async (parent, name) => {
      try {
        mkdirSync(parent.child(name), OWNER_ALL);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        if (!this.#options.lenient) throw new ConflictError(path);
        return;
      }
      if (process.geteuid?.() !== 0) return;
      const owner = stat ?? lstatSync(parent.child('.'));
      await using made = await open(parent.child(name), DIRECTORY_FLAGS);
      await made.chown(owner.uid, owner.gid);
    });
  }

  async putInPlace(change: PathChange): Promise<void> {
    await this.#inParent(change.path, async (parent, name) => {
      const isReplaced = change.now !== null && change.now.type !== 'directory';
      if (isReplaced) this.#check(parent, name, change);
      else if (lstatSync(parent.child(name), { throwIfNoEntry: false })) {
        if (this.#options.lenient) return;
        throw new ConflictError(change.path);
      }
      await this.#inParent(`${this.#options.staging}/${this.#staged.get(change.path)!}`, (staging, temp) =>
        renameSync(staging.child(temp), parent.child(name)),
      );
    });
  }

  /** Changes the mode of a file with unchanged content. */
  async changeMode(change: PathChange): Promise<void> {
    if (change.now?.mode === change.goal!.mode) return;
    await this.#inParent(change.path, (parent, name) => {
      this.#check(parent, name, change);
      const proc = this.#store.root.descriptors === 'proc';
      const fd = openSync(parent.child(name), (proc ? O_PATH : constants.O_RDONLY) | constants.O_NOFOLLOW);
      try {
        if (proc) chmodSync(`/proc/self/fd/${fd}`, change.goal!.mode);
        else fchmodSync(fd, change.goal!.mode);
      } finally {
        closeSync(fd);
      }
    });
  }

  async setDirectoryModes(innermostFirst: readonly PathChange[]): Promise<void> {
    const own = new Set<string>();
    for (const { path, goal } of innermostFirst) {
      if (goal?.type !== 'directory') continue;
      own.add(path);
      await this.#chmodDirectory(path, goal.mode);
      if (this.#options.yielder.due) await this.#options.yielder.yield();
    }
    for (const [path, mode] of this.#options.locked.toReversed()) {
      if (!own.has(path)) await this.#chmodDirectory(path, mode);
    }
  }

  /** Syncs the parent directories. */
  async sync(changes: readonly PathChange[]): Promise<void> {
    const parents = new Set(changes.map(({ path }) => parentOf(path) || '.'));
    for (const path of parents) {
      await withParent(this.#store.root, path, async (parent, name) => {
        try {
          await using handle = await open(parent.child(name), DIRECTORY_FLAGS);
          await handle.sync();
        } catch (error) {
          // It was deleted, or has no read permission.
          if (!isRace(error) && !['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
        }
      });
    }
  }

  /** @throws ConflictError when the path has changed since its stat was read. */
  #check(parent: Directory, name: FileName, change: PathChange): void {
    const now = lstatSync(parent.child(name), { throwIfNoEntry: false });
    // Removing a hard link changes the change time of the other links.
    const ignoreChangeTime = now !== undefined && this.#linked.has(now.ino);
    if (!isUnchanged(change.stat, now, { ignoreChangeTime })) throw new ConflictError(change.path);
    if (now && now.nlink > 1) this.#linked.add(now.ino);
  }

  async #chmodDirectory(path: string, mode: number): Promise<void> {
    try {
      await withParent(this.#store.root, path === '' ? '.' : path, (parent, name) => {
        using directory = parent.open(name);
        const here = directory.child('');
        if ((lstatSync(here).mode & PERMISSIONS) !== mode) chmodSync(here, mode);
      });
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  }

  async #inParent(path: string, use: (parent: Directory, name: FileName) => void | Promise<void>): Promise<void> {
    try {
      const done = await withParent(this.#store.root, path, async (parent, name) => {
        await use(parent, name);
        return true;
      });
      if (!done) throw new RaceError();
    } catch (error) {
      const isSkippable = isRace(error) || error instanceof ConflictError;
      if (!isSkippable || codeOf(error) === 'EINVAL') throw error;
      if (!this.#options.lenient) throw error instanceof ConflictError ? error : new ConflictError(path);
    }
  }
}
