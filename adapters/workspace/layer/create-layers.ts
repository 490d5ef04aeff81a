import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer, Layers } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { storeCopy, openCopy } from './copy-layer.ts';
import { mountsBelow, unmountBelow } from './mounts.ts';
import { openOverlay } from './overlay-layer.ts';
import { probeOverlay } from './overlay-probe.ts';
import { isGone, ownName } from './owner.ts';
import { removeTree } from './remove-tree.ts';

export interface LayersOptions {
  /** A folder of Klaus's own, private to the user, on the disk where layers are to take their room. */
  stateDir: string;
  /** Klaus's own state, which is never copied. */
  klausHome?: string;
  /** Bytes of that disk that a working copy leaves free. Default 256 MiB. */
  reserveBytes?: number;
}

/** Layers over one workspace. */
export interface LocalLayers extends Layers {
  /** Why an overlay cannot be used for this workspace; undefined when it can. */
  whyNoOverlay(): Promise<string | undefined>;
  /** Removes the working copy that is kept between layers, and what killed processes left. */
  clear(): Promise<void>;
}

const RESERVE = 256 * 2 ** 20;

/**
 * Places where commands may write freely without touching the user's files.
 *
 * An **overlay** costs nothing to open and is taken where it works: usually as root. A **copy** takes the room
 * of the whole workspace; it is kept, so that the next layer copies only what has changed. Both have everything
 * in them, also ignored files and `.git`.
 *
 * What somebody changes in the workspace while a layer is open: a copy does not see it; an overlay sees it in
 * files that the command has neither opened nor written yet, and may see it in the others or not. In either
 * case nothing of it is lost: a layer never writes to the workspace, and whoever keeps a layer's changes
 * compares the file's hash of before.
 *
 * Not told by `touched`: the mode of the workspace folder itself, times, extended attributes. Not in a copy:
 * pipes, sockets, devices, what the user may not read, extended attributes; other names of one file (hard links)
 * are files of their own there, and on an overlay they become so when they are written to.
 */
export function createLayers(root: string, options: LayersOptions): LocalLayers {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  return new WorkspaceLayers(realpathSync.native(root), {
    ...options,
    stateDir: realpathSync.native(options.stateDir),
  });
}

class WorkspaceLayers implements LocalLayers {
  readonly #root: string;
  readonly #options: LayersOptions;
  /** Part of the names of this workspace's folders, because one state folder may serve several. */
  readonly #key: string;
  #probe: Promise<string | undefined> | undefined;

  constructor(root: string, options: LayersOptions) {
    this.#root = root;
    this.#options = options;
    this.#key = createHash('sha256').update(root).digest('hex').slice(0, 16);
  }

  async open(options: { kind?: 'overlay' | 'copy'; signal?: AbortSignal } = {}): Promise<Layer> {
    await this.#cleanUp();
    if (options.kind !== 'copy') {
      const layer = await this.#openOverlay();
      if (typeof layer !== 'string') return layer;
      if (options.kind === 'overlay') {
        throw new KlausError('sandbox.unavailable', `An overlay cannot be used here: ${layer}.`, {
          hint: 'Use a working copy instead.',
        });
      }
    }
    const { stateDir, klausHome, reserveBytes } = this.#options;
    return openCopy({
      root: this.#root,
      folder: this.#newFolder('copy'),
      storedCopy: this.#storedCopy(this.#key),
      excluded: [stateDir, ...(klausHome === undefined ? [] : [klausHome])],
      reserveBytes: reserveBytes ?? RESERVE,
      ...(options.signal && { signal: options.signal }),
    });
  }

  async whyNoOverlay(): Promise<string | undefined> {
    // These may change while Klaus runs; what the system can do does not.
    const { stateDir } = this.#options;
    if (stateDir === this.#root || stateDir.startsWith(`${this.#root}/`)) return `${stateDir} lies in the workspace`;
    const inner = mountsBelow(this.#root).find(({ path }) => path !== this.#root);
    if (inner) return `${inner.path} is a mount of its own, which an overlay does not show`;
    this.#probe ??= probeOverlay(this.#newFolder('overlay'));
    return this.#probe;
  }

  async clear(): Promise<void> {
    await this.#cleanUp();
    await removeTree(this.#storedCopy(this.#key));
  }

  /** The layer, or why there is none. */
  async #openOverlay(): Promise<Layer | string> {
    const reason = await this.whyNoOverlay();
    if (reason !== undefined) return reason;
    try {
      return await openOverlay(this.#root, this.#newFolder('overlay'));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The name says whose it is, from the first moment on. */
  #newFolder(kind: Layer['kind']): string {
    return join(this.#options.stateDir, `${kind}-${ownName()}-${this.#key}-${randomBytes(6).toString('hex')}`);
  }

  #storedCopy(key: string): string {
    return join(this.#options.stateDir, `kept-${key}`);
  }

  /** Unmounts and removes what killed processes left; a working copy is kept for the next layer. */
  async #cleanUp(): Promise<void> {
    const { stateDir } = this.#options;
    for (const name of readdirSync(stateDir)) {
      const [, kind, owner, key] = /^(overlay|copy)-([0-9a-f.]+)-([0-9a-f]{16})-[0-9a-f]+$/.exec(name) ?? [];
      if (owner === undefined || key === undefined || !isGone(owner)) continue;
      const folder = join(stateDir, name);
      await unmountBelow(folder);
      if (kind === 'copy') await storeCopy(folder, this.#storedCopy(key));
      else await removeTree(folder);
    }
  }
}
