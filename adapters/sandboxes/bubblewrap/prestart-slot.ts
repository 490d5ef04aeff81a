import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import { closeForNextWhilePaused, closeSpareWhilePaused, closeWhilePaused } from '../protection/close-while-paused.ts';
import type { Protection } from '../protection/protected-folders.ts';
import type { ObjectStore } from '../protection/object-store.ts';
import { closeSpare, type Spare } from '../protection/reusable-stores.ts';
import { endAhead, toKey, toReceivable, type StartedAhead } from './prestarted-sandbox.ts';

/** Holds the one sandbox that was started ahead, and what the command before it has left for it. */
export class AheadSlot {
  readonly #home: string;
  #waiting: Promise<StartedAhead | undefined> | undefined;
  #spare: Spare | undefined;

  /** @param home Klaus's own state. */
  constructor(home: string) {
    this.#home = home;
  }

  /** @returns Ends it, unless it was taken; false when it was. Then what its command left is closed, if nobody took that. */
  async put(made: Promise<StartedAhead | undefined>): Promise<() => Promise<boolean>> {
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
      const spare = this.#spare;
      this.#spare = undefined;
      if (spare) await closeSpareWhilePaused(this.#home, spare);
      return isUnused;
    };
  }

  /** The one that is there, where it was made for such a command. It is the caller's then. */
  async take(request: ExecRequest, limits: ExecLimits): Promise<StartedAhead | undefined> {
    const waiting = this.#waiting;
    const ahead = await waiting;
    if (!ahead || this.#waiting !== waiting) return undefined;
    if (ahead.key !== toKey(request, limits) || toReceivable(request, '') === undefined) return undefined;
    this.#waiting = undefined;
    return ahead;
  }

  /** Gives what a command has left to the next one, and closes what that does not take. */
  handOver(open: (stores: readonly ObjectStore[]) => Protection): Protection {
    const spare = this.#spare;
    this.#spare = undefined;
    let taken: readonly ObjectStore[] = [];
    try {
      const opened = open(spare?.stores ?? []);
      taken = opened.stores;
      return opened;
    } finally {
      if (spare) closeSpare(spare, taken);
    }
  }

  /**
   * Closes what a command held, or keeps it for the next one.
   *
   * @param isFollowed True for a command that took a sandbox made ahead: whoever has that made ends it.
   * @returns What was put right, as sentences.
   */
  async close(protection: Protection | undefined, isFollowed: boolean): Promise<string[]> {
    if (!isFollowed || !protection || this.#spare) return closeWhilePaused(this.#home, protection);
    const { warnings, spare } = await closeForNextWhilePaused(this.#home, protection);
    this.#spare = spare;
    return warnings;
  }

  async #end(waiting: Promise<StartedAhead | undefined> | undefined): Promise<void> {
    const ahead = await waiting;
    if (ahead) await endAhead(this.#home, ahead);
  }
}
