import { setImmediate } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';

/** Milliseconds of work before the event loop gets a turn. */
const SLICE_MS = 10;

/**
 * Lets other work run during a long sequence of synchronous file operations, and stops the sequence when it is
 * cancelled. Synchronous calls are several times faster than asynchronous ones on small files.
 */
export class Yielder {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when {@link yield} is to be awaited. */
  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** @throws KlausError `cancelled`. */
  async yield(): Promise<void> {
    await setImmediate();
    this.check();
    this.#since = performance.now();
  }

  /**
   * Yields if it is due; undefined if not.
   *
   * @throws KlausError `cancelled`.
   */
  yieldIfDue(): Promise<void> | undefined {
    this.check();
    return this.due ? this.yield() : undefined;
  }

  /** @throws KlausError `cancelled`. */
  check(): void {
    if (this.#signal?.aborted) throw new KlausError('cancelled', 'The operation was cancelled.');
  }
}
