import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { freeze } from '../../cgroup/freezer.ts';
import type { FreezeOptions } from '../../cgroup/freezer.ts';
import type { Mask } from '../../protection/masks.ts';
import { toSource } from '../../view.ts';
import type { WorkspaceView } from '../../view.ts';
import { addMasks, readMountPoints } from './remount.ts';

/** A command that ends earlier sees the masks of its start only. */
const BEGIN_MS = 1_000;
/** For what no watch tells: new files in folders that held no secret before. */
const RESCAN_MS = 5_000;
/** One save of an editor is several changes. */
const GATHER_MS = 5;
/** Looking takes at most this share of the time, however busy the folders are. */
const SHARE = 0.1;
const MAX_WATCHES = 64;
/** A file can vanish, or be replaced again, while it is being hidden. */
const MOUNT_TRIES = 5;

export interface MaskWatchOptions extends FreezeOptions {
  /** A process inside. */
  pid: number;
  view: WorkspaceView;
  /** What is to be hidden now. */
  masks: () => Promise<readonly Mask[]>;
  /** Called once when something cannot be hidden; everything is stopped then and must be ended. */
  onFailure: (reason: string) => void;
  /** True: its timers do not keep this program from ending. Default false. */
  idle?: boolean;
}

/**
 * Keeps secret files hidden while a command runs: a new one appears, or an editor replaces one by renaming, which
 * lifts its mask. The command is stopped, the mask is mounted inside, and it goes on. What it has already read, or
 * holds open, it keeps.
 */
export class MaskWatch {
  readonly #options: MaskWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #begin: NodeJS.Timeout | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Milliseconds that the last look took. */
  #cost = 0;

  constructor(options: MaskWatchOptions) {
    this.#options = options;
    this.#begin = setTimeout(() => {
      this.#rescan = setInterval(() => this.#schedule(), RESCAN_MS);
      if (options.idle) this.#rescan.unref();
      this.#schedule();
    }, BEGIN_MS);
    if (options.idle) this.#begin.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#begin);
    clearTimeout(this.#gather);
    clearInterval(this.#rescan);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#working;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#gather ??= setTimeout(
      () => {
        this.#gather = undefined;
        this.#working = this.#working.then(() => this.#check()).catch((error: unknown) => this.#fail(String(error)));
      },
      Math.max(GATHER_MS, this.#cost / SHARE),
    );
  }

  async #check(): Promise<void> {
    if (this.#isClosed) return;
    const begun = performance.now();
    // Watched before it is read: what changes meanwhile is told.
    this.#watch(this.#options.view.source);
    const bare = await this.#findBare();
    this.#cost = performance.now() - begun;
    if (bare.length === 0 || this.#isClosed) return;
    const thaw = await freeze(this.#options);
    if (!thaw) return this.#fail('the command could not be stopped for it');
    const failure = await this.#hide(bare);
    if (failure === undefined) thaw();
    else this.#fail(failure);
  }

  /** What is to be hidden and is not; nothing once the command is gone. */
  async #findBare(): Promise<Mask[]> {
    const { masks: read, view, pid } = this.#options;
    const masks = await read();
    for (const { target } of masks) this.#watch(dirname(toSource(view, target)));
    const mounted = readMountPoints(pid);
    return mounted.size === 0 ? [] : masks.filter((mask) => !mounted.has(mask.target));
  }

  async #hide(first: readonly Mask[]): Promise<string | undefined> {
    let bare = first;
    let failure: string | undefined;
    for (let attempt = 0; bare.length > 0; attempt++) {
      if (attempt === MOUNT_TRIES) return failure ?? 'it is replaced faster than it can be hidden';
      failure = await addMasks(this.#options.pid, bare);
      bare = await this.#findBare();
    }
    return undefined;
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHES || this.#isClosed) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#schedule());
      watcher.on('error', () => this.#watchers.delete(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // No watches left, or the folder is gone: the rescan finds it.
    }
  }

  #fail(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onFailure(reason);
  }
}
