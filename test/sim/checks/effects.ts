import type { EventOf } from '@klaus/core/protocol';
import type { Invariant } from './invariant.ts';

interface Attempts {
  begun: number;
  done: number;
  last: number;
  /** A process had the effect after it lost the session. */
  isLate: boolean;
}

const NONE: Attempts = { begun: 0, done: 0, last: 0, isLate: false };

/** Counts the effects of calls over all processes, by the ids in their inputs. */
export class Effects {
  readonly #fail: (invariant: Invariant, what: string) => void;
  readonly #attempts = new Map<string, Attempts>();
  /** The last one of each effect. */
  readonly #intents = new Map<string, EventOf<'tool.started'>>();

  constructor(fail: (invariant: Invariant, what: string) => void) {
    this.#fail = fail;
  }

  /** An intent became durable. */
  intended(id: string, started: EventOf<'tool.started'>, isAllowed: boolean): void {
    if (!isAllowed) this.#fail('one gate', `${id} is intended, and the gate did not allow it`);
    this.#intents.set(id, started);
  }

  begins(id: string, started: { attempt: number; resume: string }): void {
    const known = this.#attempts.get(id) ?? NONE;
    const { attempt, resume } = started;
    if (attempt <= known.last) this.#fail('at most once', `attempt ${attempt} of ${id} happens again`);
    if (resume === 'tell' && known.begun > 0) this.#fail('at most once', `${id} was begun before and runs again`);
    // A late effect of a former holder makes the edit of the next one fail.
    if (resume === 'probe' && known.done > 0 && !known.isLate)
      this.#fail('at most once', `${id} was done before and runs again`);
    this.#attempts.set(id, { ...known, begun: known.begun + 1, last: attempt });
  }

  /** The effect of a process that was stopped after its intent, and lost the session: no other one may have the same. */
  beginsLate(id: string): void {
    const started = this.#intents.get(id);
    if (!started) return this.#fail('intent before effect', `${id} happens late, and no intent is durable`);
    const known = this.#attempts.get(id) ?? NONE;
    if (started.resume === 'tell' && known.begun > 0) this.#fail('at most once', `${id} happens late and again`);
    this.#attempts.set(id, { ...known, begun: known.begun + 1, isLate: true });
  }

  ends(id: string): void {
    const known = this.#attempts.get(id);
    if (!known) return;
    known.done++;
    if (known.isLate && known.done > 1 && this.#intents.get(id)?.resume !== 'repeat')
      this.#fail('at most once', `${id} was done twice`);
  }
}
