import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import {
  closeForReuseWhilePaused,
  closeReusableWhilePaused,
  closeWhilePaused,
} from '../protection/close-while-paused.ts';
import type { ObjectStore } from '../protection/object-store.ts';
import type { Protection } from '../protection/protected-folders.ts';
import { closeReusable, type ReusableStores } from '../protection/reusable-stores.ts';
import { endPrestarted, toKey, toStartScript, type PrestartedSandbox } from './prestarted-sandbox.ts';

/** Holds at most one prestarted sandbox, and the object stores that the previous command left for it. */
export class PrestartSlot {
  readonly #home: string;
  #waiting: Promise<PrestartedSandbox | undefined> | undefined;
  #reusable: ReusableStores | undefined;

  /** @param home Klaus's own state. */
  constructor(home: string) {
    this.#home = home;
  }

  /**
   * Puts a sandbox into the slot and ends the one that was there.
   *
   * @returns Ends the sandbox, unless a command took it, and closes the stores that no command took over. Resolves to
   *   false if a command took the sandbox.
   */
  async put(made: Promise<PrestartedSandbox | undefined>): Promise<() => Promise<boolean>> {
    const before = this.#waiting;
    const waiting = made.catch(() => undefined);
    this.#waiting = waiting;
    await this.#end(before);
    await waiting;
    return async () => {
      const isUnused = this.#waiting === waiting;
      if (isUnused) {
        this.#waiting = undefined;
        await this.#end(waiting);
      }
      const reusable = this.#reusable;
      this.#reusable = undefined;
      if (reusable) await closeReusableWhilePaused(this.#home, reusable);
      return isUnused;
    };
  }

  /** Puts a sandbox into the slot, unless one is there. Its failure leaves the slot empty. */
  async fill(make: () => Promise<PrestartedSandbox | undefined>): Promise<void> {
    if (await this.#waiting) return;
    const waiting = make().catch(() => undefined);
    this.#waiting = waiting;
    await waiting;
  }

  /** Ends the sandbox in the slot. */
  async clear(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    await this.#end(waiting);
  }

  /** Removes the sandbox from the slot, if it fits the request. The caller then owns it. */
  async take(request: ExecRequest, limits: ExecLimits): Promise<PrestartedSandbox | undefined> {
    const waiting = this.#waiting;
    const prestarted = await waiting;
    if (!prestarted || this.#waiting !== waiting) return undefined;
    if (prestarted.key !== toKey(request, limits) || toStartScript(request, '') === undefined) return undefined;
    this.#waiting = undefined;
    return prestarted;
  }

  /** Offers the reusable stores to the next command, and closes those that it does not take over. */
  handOver(open: (stores: readonly ObjectStore[]) => Protection): Protection {
    const reusable = this.#reusable;
    this.#reusable = undefined;
    let taken: readonly ObjectStore[] = [];
    try {
      const opened = open(reusable?.stores ?? []);
      taken = opened.stores;
      return opened;
    } finally {
      if (reusable) closeReusable(reusable, taken);
    }
  }

  /**
   * Closes the protection of a command, or keeps its stores for the next command.
   *
   * @param isFollowed True for a command that took a prestarted sandbox: the caller of `put` closes what remains.
   * @returns The repairs that were made, as sentences.
   */
  async close(protection: Protection | undefined, isFollowed: boolean): Promise<string[]> {
    if (!isFollowed || !protection || this.#reusable) return closeWhilePaused(this.#home, protection);
    const { warnings, reusable } = await closeForReuseWhilePaused(this.#home, protection);
    this.#reusable = reusable;
    return warnings;
  }

  async #end(waiting: Promise<PrestartedSandbox | undefined> | undefined): Promise<void> {
    const prestarted = await waiting;
    if (prestarted) await endPrestarted(this.#home, prestarted);
  }
}
