import { KlausError } from '@klaus/core/protocol';

/** The time-out of a request, which does not run while the user is asked. */
export class CallTimer {
  /** Rejects with KlausError `timeout`. */
  readonly expired: Promise<never>;
  readonly #reject: (error: KlausError) => void;
  readonly #ms: number;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.expired = promise;
    this.#reject = reject;
    this.#ms = ms;
    this.#left = ms;
    this.#start();
  }

  pause(): void {
    this.#pauses++;
    if (this.#pauses > 1) return;
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#since;
  }

  resume(): void {
    this.#pauses--;
    if (this.#pauses === 0) this.#start();
  }

  close(): void {
    // Also a later `resume` starts no timer.
    this.#pauses = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(
      () => this.#reject(new KlausError('timeout', `no answer within ${this.#ms} ms`)),
      Math.min(Math.max(this.#left, 0), 2 ** 31 - 1),
    );
  }
}
