import { setImmediate } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';

/** Milliseconds of work at a time before others get their turn. */
const SLICE_MS = 15;

/** Keeps long work from blocking the process, and ends it when it is cancelled. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** @throws KlausError `cancelled`. */
  async rest(): Promise<void> {
    await setImmediate();
    this.check();
    this.#since = performance.now();
  }

  check(): void {
    if (this.#signal?.aborted) throw new KlausError('cancelled', 'The snapshot was cancelled.');
  }
}
