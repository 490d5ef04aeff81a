import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, realpathSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type FileName, joinFileName } from './byte-names.ts';
import { codeOf, RaceError } from './race-error.ts';

/** Linux's flag for a descriptor that only refers to a path; Node passes it on. Source: open(2). */
export const O_PATH = 0o10000000;

/**
 * How a child of an open directory is addressed.
 * - `proc`: by `/proc/self/fd/N/name`, which the kernel resolves from the descriptor, so that changes of parent
 *   directories have no effect
 * - `path`: by its path, after a check that the path still leads to the open directory. It is for systems without
 *   /proc, such as macOS, and cannot exclude a change between check and use.
 */
export type Descriptors = 'proc' | 'path';

/** The safest kind that this machine supports. */
export function bestDescriptors(): Descriptors {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? 'proc' : 'path';
}

/** An open directory, whose children are accessed without resolving its path again. */
export class Directory {
  /** Absolute path when it was opened. */
  readonly absolute: string;
  readonly #fd: number;
  readonly #how: Descriptors;
  #closed = false;

  /**
   * @param path The directory. A symlink as last component is not followed.
   * @param absolute The same path for messages.
   */
  constructor(path: string | Buffer, absolute: string, how: Descriptors) {
    const kind = how === 'proc' ? O_PATH : constants.O_RDONLY;
    this.#fd = openSync(path, kind | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.absolute = absolute;
    this.#how = how;
  }

  /** A path of the child `name`, which is one component. Bytes are for a name that is no text. */
  child(name: string): string;
  child(name: FileName): FileName;
  child(name: FileName): FileName {
    if (this.#how === 'proc') return joinFileName(`/proc/self/fd/${this.#fd}`, name);
    const now = lstatSync(this.absolute, { throwIfNoEntry: false });
    const open = fstatSync(this.#fd);
    if (!now || now.dev !== open.dev || now.ino !== open.ino || realpathSync.native(this.absolute) !== this.absolute) {
      throw new RaceError();
    }
    return joinFileName(this.absolute, name);
  }

  open(name: FileName): Directory {
    return new Directory(this.child(name), join(this.absolute, name.toString()), this.#how);
  }

  /** Removes a file. No error when it does not exist. */
  removeFile(name: FileName): void {
    try {
      unlinkSync(this.child(name));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Device and inode, which identify the directory. */
  identity(): string {
    const stat = fstatSync(this.#fd);
    return `${stat.dev}:${stat.ino}`;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
