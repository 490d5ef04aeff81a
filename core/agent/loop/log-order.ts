import { KlausError, type Event } from '../../protocol/index.ts';
import { fold } from '../state/fold.ts';
import type { State } from '../state/state.ts';

/**
 * Folds the events of parallel appends in the order of the log, in whatever order the appends return, so that the state
 * equals a fold of the stored log.
 */
export class LogOrder {
  readonly #state: State;
  /** Appends that returned before an earlier one, by the seq of their first event. */
  readonly #early = new Map<number, PromiseWithResolvers<void>>();
  #running = 0;

  constructor(state: State) {
    this.#state = state;
  }

  /** Resolves when the appended events are folded. @throws What `append` throws. */
  async run(append: () => Promise<readonly Event[]>): Promise<void> {
    this.#running++;
    try {
      const events = await append();
      const first = events[0]?.seq;
      if (first === undefined) return;
      if (first !== this.#state.seq + 1) await this.#until(first);
      for (const event of events) fold(this.#state, event);
    } finally {
      this.#running--;
      this.#wakeNext();
    }
  }

  async #until(first: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#early.set(first, turn);
    this.#wakeNext();
    await turn.promise;
  }

  #wakeNext(): void {
    const next = this.#state.seq + 1;
    const turn = this.#early.get(next);
    if (turn) {
      this.#early.delete(next);
      turn.resolve();
    } else if (this.#running === this.#early.size) {
      // No append can fill the gap: its result was lost.
      for (const { reject } of this.#early.values()) reject(toLost(next));
      this.#early.clear();
    }
  }
}

function toLost(seq: number): KlausError {
  return new KlausError('internal', `Record ${seq} of the log was appended, but its result is unknown.`, {
    hint: 'Continue the session with klaus resume: the log is complete.',
  });
}
