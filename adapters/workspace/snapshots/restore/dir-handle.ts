import { type FileName, toFileName } from '../../byte-names.ts';
import type { Directory } from '../../directory.ts';
import { isRace } from '../../race-error.ts';
import { openRoot, type Root } from '../../path-entry.ts';

/** A directory that is opened on first use, relative to its parent and without following symlinks. */
export class DirHandle {
  readonly #parent: DirHandle | undefined;
  readonly #open: () => Directory;
  #directory: Directory | undefined;

  constructor(open: () => Directory, parent?: DirHandle) {
    this.#open = open;
    this.#parent = parent;
  }

  /** @throws The system's error, see `isRace`, when it is not a directory any more. */
  get directory(): Directory {
    return (this.#directory ??= this.#open());
  }

  /** @param name As states spell it. */
  child(name: string): DirHandle {
    return new DirHandle(() => this.directory.open(toFileName(name)), this);
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  /** Closes this and everything above it. */
  [Symbol.dispose](): void {
    this.close();
    this.#parent?.[Symbol.dispose]();
  }
}

export function toDirHandle(root: Root, names: readonly string[]): DirHandle {
  return names.reduce((parent, name) => parent.child(name), new DirHandle(() => openRoot(root)));
}

/**
 * Opens the parent directory of a path and calls `use`. Returns undefined when a parent is missing or not a directory.
 * Symlinks are not followed.
 *
 * @param path As states spell it.
 */
export async function withParent<T>(
  root: Root,
  path: string,
  use: (parent: Directory, name: FileName) => T | Promise<T>,
): Promise<T | undefined> {
  const names = path.split('/');
  const name = names.pop()!;
  using handle = toDirHandle(root, names);
  let parent: Directory;
  try {
    parent = handle.directory;
  } catch (error) {
    if (isRace(error)) return undefined;
    throw error;
  }
  return await use(parent, toFileName(name));
}
