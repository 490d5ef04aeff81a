import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Watches folders, each by one watcher of the kernel. A folder that does not exist is watched in its nearest parent. */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Replaces the watched folders. */
  set(folders: Iterable<string>): void {
    const wanted = new Set([...folders].map(toExisting));
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  close(): void {
    this.set([]);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        // A deleted folder has no further events, and a new one of the same name needs another watcher.
        if (!existsSync(folder)) this.#remove(folder);
        this.#onChange();
      });
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The kernel has no more watchers: the checks at calls find the change.
    }
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

function toExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : toExisting(dirname(folder));
}
