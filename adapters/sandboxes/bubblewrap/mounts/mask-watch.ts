import { watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { freeze, type FreezeOptions } from '../../cgroup/freezer.ts';
import type { Mask } from '../../protection/masks.ts';
import { toSource, type WorkspaceView } from '../../view.ts';
import { readMountPoints } from './check-mounts.ts';
import { enterMounts, toMaskMount } from './inside-mounts.ts';

/** Delay of the first check. Shorter commands keep the masks of their start. */
const BEGIN_MS = 1_000;
/** Interval of checks, for new files in folders that are not watched. */
const RESCAN_MS = 5_000;
/** Debounce time: saving a file in an editor causes several changes. */
const GATHER_MS = 5;
/** Maximum share of time that checks take, regardless of the number of changes. */
const SHARE = 0.1;
const MAX_WATCHES = 64;
/** A file can be removed or replaced again while it is being hidden. */
const MOUNT_TRIES = 5;

export interface MaskWatchOptions extends FreezeOptions {
  /** A process in the sandbox. */
  pid: number;
  view: WorkspaceView;
  masks: () => Promise<readonly Mask[]>;
  /** Called once when a file cannot be hidden. The command is paused then and must be ended. */
  onFailure: (reason: string) => void;
  /** True: the timers do not keep this process running. Default false. */
  idle?: boolean;
}

/**
 * Hides secret files that appear while a command runs: new ones, and those that an editor replaces by renaming, which
 * removes their mask. The command is paused, the mask is mounted, and the command is resumed. Content that the command
 * has already read or opened stays accessible to it.
 */
export class MaskWatch {
  readonly #options: MaskWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #begin: NodeJS.Timeout | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Duration of the last check in milliseconds. */
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
    // Watch before reading, so that changes in between are noticed.
    this.#watch(this.#options.view.source);
    const bare = await this.#findBare();
    this.#cost = performance.now() - begun;
    if (bare.length === 0 || this.#isClosed) return;
    const thaw = await freeze(this.#options);
    if (!thaw) return this.#fail('the command could not be paused');
    const failure = await this.#hide(bare);
    if (failure === undefined) thaw();
    else this.#fail(failure);
  }

  /** The masks that are missing; none when the command has ended. */
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
      if (attempt === MOUNT_TRIES) return failure ?? 'it was replaced too often';
      failure = (await enterMounts(this.#options.pid, bare.map(toMaskMount)))?.reason;
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
      // No watch is available, or the folder is missing: the next rescan finds changes.
    }
  }

  #fail(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onFailure(reason);
  }
}
