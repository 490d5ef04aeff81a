import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { TreeEntry } from '@klaus/core/protocol';
import type { Directory } from '../../directory.ts';
import { codeOf, isRace, RaceError } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { isUnchanged } from '../scan/path-state.ts';
import { writeFully } from '../objects/object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import { withParent } from './dir-handle.ts';

/** Linux's flag for a descriptor that only names a place. Source: open(2). */
const O_PATH = 0o10000000;
const OWNER_ALL = 0o700;
const PERMISSIONS = 0o7777;
/** Files written at the same time: each waits for the disk. */
const WRITERS = 8;

/** One path on its way from what is there to what shall be there. */
export interface PathChange {
  path: string;
  now: TreeEntry | null;
  goal: TreeEntry | null;
  /** What was there when it was looked at. */
  stat: Stats | undefined;
}

interface StepOptions {
  /** Name, in the workspace, of the folder for files on their way. */
  staging: string;
  /** Directories that the owner cannot write in, with their modes: opened for the step, outermost first. */
  locked: readonly (readonly [path: string, mode: number])[];
  /** Passes over what has become impossible, instead of throwing. For a step that is settled later. */
  lenient: boolean;
  yielder: Yielder;
}

/** A path that was changed between the check and the step. */
export class ConflictError extends Error {
  readonly path: string;

  constructor(path: string) {
    super('the path changed meanwhile');
    this.name = 'Overtaken';
    this.path = path;
  }
}

/** A name that no project uses and that tells a person where it came from. */
export function toStagingName(): string {
  return `.klaus-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

/**
 * Makes every goal stand at its path: new content is written aside and synced first, then things are taken away from
 * the inside out, and put in place from the outside in. It may be begun again after a kill at any point.
 *
 * @throws Overtaken, or the system's error; then a part may have been done.
 */
export async function runStep(store: SnapshotStore, moves: readonly PathChange[], how: StepOptions): Promise<void> {
  const sorted = moves.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const reversed = sorted.toReversed();
  const step = new RestoreStep(store, how);
  await step.unlock();
  await step.stage(sorted.filter(isNewContent));
  for (const move of reversed) {
    const { now, goal } = move;
    if (!now || goal?.type === now.type) continue;
    // A file makes way for a file or a symlink by being replaced.
    if (now.type === 'directory') await step.removeDirectory(move);
    else if (!goal || goal.type === 'directory') await step.removeFile(move);
    if (how.yielder.due) await how.yielder.yield();
  }
  for (const move of sorted) {
    if (move.goal?.type === 'directory' && move.now?.type !== 'directory') await step.makeDirectory(move);
    else if (isNewContent(move)) await step.putInPlace(move);
    else if (move.goal?.type === 'file') await step.changeMode(move);
    if (how.yielder.due) await how.yielder.yield();
  }
  await step.setDirectoryModes(reversed);
  await step.sync(sorted);
  await removeStaging(store.root, how.staging);
}

/** Also for a mode alone where the file has other names, which the mode is not meant for. */
function isNewContent({ now, goal, stat }: PathChange): boolean {
  if (!goal || goal.type === 'directory') return false;
  if (now?.type !== goal.type || now.hash !== goal.hash) return true;
  return goal.mode !== now.mode && (stat?.nlink ?? 1) > 1;
}

class RestoreStep {
  readonly #store: SnapshotStore;
  readonly #options: StepOptions;
  /** Files with several names of which this step has taken one away. */
  readonly #linked = new Set<number>();
  readonly #staged = new Map<string, string>();

  constructor(store: SnapshotStore, how: StepOptions) {
    this.#store = store;
    this.#options = how;
  }

  async unlock(): Promise<void> {
    for (const [path, mode] of this.#options.locked) await this.#chmodDirectory(path, mode | OWNER_ALL);
  }

  async stage(moves: readonly PathChange[]): Promise<void> {
    if (moves.length === 0) return;
    await this.#inParent(this.#options.staging, (parent, name) => {
      try {
        mkdirSync(parent.child(name), OWNER_ALL);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    });
    for (const [i, { path }] of moves.entries()) this.#staged.set(path, String(i));
    let next = 0;
    const work = async () => {
      while (next < moves.length) {
        await this.#stageOne(moves[next++]!);
        if (this.#options.yielder.due) await this.#options.yielder.yield();
      }
    };
    const done = await Promise.allSettled(Array.from({ length: Math.min(WRITERS, moves.length) }, work));
    const failed = done.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #stageOne({ path, goal, stat }: PathChange): Promise<void> {
    const owner = stat ?? (await this.#nearestParent(path));
    const target = `${this.#options.staging}/${this.#staged.get(path)!}`;
    await this.#inParent(target, async (parent, name) => {
      const hash = Buffer.from(goal!.hash, 'hex');
      // Left over from an attempt that was killed.
      removeIfThere(parent, name);
      if (goal!.type === 'symlink') {
        symlinkSync(await this.#store.objects.read(hash), parent.child(name));
        return;
      }
      const handle = await open(parent.child(name), 'wx', 0o600);
      try {
        for await (const piece of this.#store.objects.pieces(hash)) await writeFully(handle, piece, null);
        // What an administrator restores for somebody else stays that person's.
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
      at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
      const stat = await withParent(this.#store.root, at === '' ? '.' : at, (parent, name) =>
        lstatSync(parent.child(name), { throwIfNoEntry: false }),
      );
      if (stat?.isDirectory()) return stat;
    }
    return undefined;
  }

  async removeFile(move: PathChange): Promise<void> {
    await this.#inParent(move.path, (parent, name) => {
      this.#check(parent, name, move);
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
      const made = await open(parent.child(name), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      try {
        await made.chown(owner.uid, owner.gid);
      } finally {
        await made.close();
      }
    });
  }

  async putInPlace(move: PathChange): Promise<void> {
    await this.#inParent(move.path, async (parent, name) => {
      const isReplaced = move.now !== null && move.now.type !== 'directory';
      if (isReplaced) this.#check(parent, name, move);
      else if (lstatSync(parent.child(name), { throwIfNoEntry: false })) {
        if (this.#options.lenient) return;
        throw new ConflictError(move.path);
      }
      await this.#inParent(`${this.#options.staging}/${this.#staged.get(move.path)!}`, (staging, temp) =>
        renameSync(staging.child(temp), parent.child(name)),
      );
    });
  }

  /** For a file whose content is right. */
  async changeMode(move: PathChange): Promise<void> {
    if (move.now?.mode === move.goal!.mode) return;
    await this.#inParent(move.path, (parent, name) => {
      this.#check(parent, name, move);
      const proc = this.#store.root.descriptors === 'proc';
      const fd = openSync(parent.child(name), (proc ? O_PATH : constants.O_RDONLY) | constants.O_NOFOLLOW);
      try {
        if (proc) chmodSync(`/proc/self/fd/${fd}`, move.goal!.mode);
        else fchmodSync(fd, move.goal!.mode);
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

  /** Makes the names durable. */
  async sync(moves: readonly PathChange[]): Promise<void> {
    const parents = new Set(moves.map(({ path }) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')));
    for (const path of parents) {
      await withParent(this.#store.root, path, async (parent, name) => {
        try {
          const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
          const handle = await open(parent.child(name), flags);
          try {
            await handle.sync();
          } finally {
            await handle.close();
          }
        } catch (error) {
          // It was deleted, or may be written but not read.
          if (!isRace(error) && !['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
        }
      });
    }
  }

  /** @throws Overtaken when something else stands there than was looked at. */
  #check(parent: Directory, name: string, move: PathChange): void {
    const now = lstatSync(parent.child(name), { throwIfNoEntry: false });
    // Taking one name of a file away changes the time of its others.
    const ignoreChangeTime = now !== undefined && this.#linked.has(now.ino);
    if (!isUnchanged(move.stat, now, { ignoreChangeTime })) throw new ConflictError(move.path);
    if (now && now.nlink > 1) this.#linked.add(now.ino);
  }

  async #chmodDirectory(path: string, mode: number): Promise<void> {
    try {
      await withParent(this.#store.root, path === '' ? '.' : path, (parent, name) => {
        const directory = parent.open(name);
        try {
          const here = directory.child('');
          if ((lstatSync(here).mode & PERMISSIONS) !== mode) chmodSync(here, mode);
        } finally {
          directory.close();
        }
      });
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  }

  async #inParent(path: string, use: (parent: Directory, name: string) => void | Promise<void>): Promise<void> {
    try {
      const done = await withParent(this.#store.root, path, async (parent, name) => {
        await use(parent, name);
        return true;
      });
      if (!done) throw new RaceError();
    } catch (error) {
      const isPassing = isRace(error) || error instanceof ConflictError;
      if (!isPassing || codeOf(error) === 'EINVAL') throw error;
      if (!this.#options.lenient) throw error instanceof ConflictError ? error : new ConflictError(path);
    }
  }
}

function removeIfThere(parent: Directory, name: string): void {
  try {
    unlinkSync(parent.child(name));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes what a step left, which is flat and only its own. */
export async function removeStaging(root: Root, staging: string): Promise<void> {
  await withParent(root, `${staging}/.`, (parent, name) => {
    for (const left of readdirSync(parent.child(name))) removeIfThere(parent, left);
  });
  await withParent(root, staging, (parent, name) => {
    try {
      rmdirSync(parent.child(name));
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  });
}
