import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { RaceError } from './race-error.ts';

/** Linux's flag for a descriptor that only names a place; Node passes it on. Source: open(2). */
const O_PATH = 0o10000000;

/**
 * How a child of an open directory is named.
 * - `proc`: `/proc/self/fd/N/name`, which the kernel resolves from the descriptor itself: nothing that is
 *   renamed or swapped above it matters
 * - `path`: the plain path, after checking that it still leads to the very directory that is open. A moment
 *   stays between check and use; it is for systems without /proc, such as macOS.
 */
export type Descriptors = 'proc' | 'path';

/** What this machine can do. */
export function bestDescriptors(): Descriptors {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? 'proc' : 'path';
}

/** An open directory, from which its children are reached without walking the path again. */
export class Directory {
  /** Where it was when it was opened. */
  readonly absolute: string;
  readonly #fd: number;
  readonly #how: Descriptors;
  #closed = false;

  /**
   * @param path What to open: never follows a symlink in its last component.
   * @param absolute The same place for people.
   */
  constructor(path: string | Buffer, absolute: string, how: Descriptors) {
    const kind = how === 'proc' ? O_PATH : constants.O_RDONLY;
    this.#fd = openSync(path, kind | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.absolute = absolute;
    this.#how = how;
  }

  /** A path for `name` that leads through this very directory. `name` is one component. */
  child(name: string): string {
    if (this.#how === 'proc') return `/proc/self/fd/${this.#fd}/${name}`;
    const now = lstatSync(this.absolute, { throwIfNoEntry: false });
    const open = fstatSync(this.#fd);
    if (!now || now.dev !== open.dev || now.ino !== open.ino || realpathSync.native(this.absolute) !== this.absolute) {
      throw new RaceError();
    }
    return join(this.absolute, name);
  }

  /** Opens a directory below this one. */
  open(name: string): Directory {
    return new Directory(this.child(name), join(this.absolute, name), this.#how);
  }

  /** Device and inode, which together are the directory's identity. */
  identity(): string {
    const stat = fstatSync(this.#fd);
    return `${stat.dev}:${stat.ino}`;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }
}
