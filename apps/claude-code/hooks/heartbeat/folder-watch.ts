import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

interface Watched {
  watcher: FSWatcher;
  /** Identity of the folder at the start of the watcher. */
  identity: string;
}

/** Watches folders, each by one watcher of the kernel. A folder that does not exist is watched in its nearest parent. */
export class FolderWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Replaces the watched folders. A change after the return is reported. */
  set(folders: Iterable<string>): void {
    const wanted = new Set([...folders].map((folder) => this.#watchNearest(folder)));
    for (const folder of this.#watched.keys()) if (!wanted.has(folder)) this.#remove(folder);
  }

  close(): void {
    this.set([]);
  }

  /** Watches the folder, or its nearest parent that exists. Returns the one that is watched. */
  #watchNearest(folder: string): string {
    for (;;) {
      const existing = toExisting(folder);
      this.#add(existing);
      // The folder can have appeared, or its parent can have gone, since the look at it.
      if (toExisting(folder) === existing) return existing;
    }
  }

  #add(folder: string): void {
    const identity = toIdentity(folder);
    if (identity !== undefined && this.#watched.get(folder)?.identity === identity) return;
    this.#remove(folder);
    if (identity === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        // A deleted folder has no further events, and a new one of the same name needs another watcher.
        if (toIdentity(folder) !== identity) this.#remove(folder);
        this.#onChange();
      });
      watcher.on('error', () => this.#remove(folder));
      this.#watched.set(folder, { watcher, identity });
    } catch {
      // The kernel has no more watchers: the checks at calls find the change.
    }
  }

  #remove(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}

function toExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : toExisting(dirname(folder));
}

/** A new folder can have the inode of a deleted one. */
function toIdentity(folder: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = statSync(folder, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
