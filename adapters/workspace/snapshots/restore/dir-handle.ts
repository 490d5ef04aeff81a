import type { Directory } from '../../directory.ts';
import { isRace } from '../../race-error.ts';
import { openRoot, type Root } from '../../path-entry.ts';

/** A directory that is opened when it is first needed, by names alone and never through a symlink. */
export class DirHandle {
  readonly #parent: DirHandle | undefined;
  readonly #open: () => Directory;
  #directory: Directory | undefined;

  constructor(from: { root: Root } | { parent: DirHandle; name: string }) {
    this.#parent = 'parent' in from ? from.parent : undefined;
    this.#open = 'parent' in from ? () => from.parent.directory.open(from.name) : () => openRoot(from.root);
  }

  /** @throws The system's error, one of `isRace`, when it is no directory any more. */
  get directory(): Directory {
    return (this.#directory ??= this.#open());
  }

  child(name: string): DirHandle {
    return new DirHandle({ parent: this, name });
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  /** Closes this and everything above it. */
  closeAll(): void {
    this.close();
    this.#parent?.closeAll();
  }
}

/**
 * Opens the directory that holds a path and calls `use`, or returns undefined when a part of the way is missing or
 * is no directory: a symlink on the way is never followed.
 */
export async function withParent<T>(
  root: Root,
  path: string,
  use: (parent: Directory, name: string) => T | Promise<T>,
): Promise<T | undefined> {
  const names = path.split('/');
  const name = names.pop()!;
  let handle = new DirHandle({ root });
  try {
    for (const step of names) handle = handle.child(step);
    let parent: Directory;
    try {
      parent = handle.directory;
    } catch (error) {
      if (isRace(error)) return undefined;
      throw error;
    }
    return await use(parent, name);
  } finally {
    handle.closeAll();
  }
}
