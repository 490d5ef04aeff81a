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
  readonly #intents = new Map<string, EventOf<'tool.started'>>();

  constructor(fail: (invariant: Invariant, what: string) => void) {
    this.#fail = fail;
  }

  /** The last intent of an effect. */
  intentOf(id: string): EventOf<'tool.started'> | undefined {
    return this.#intents.get(id);
  }

  /** An intent became durable. */
  intended(id: string, started: EventOf<'tool.started'>): void {
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
    const known = this.#attempts.get(id) ?? NONE;
    if (this.intentOf(id)?.resume === 'tell' && known.begun > 0)
      this.#fail('at most once', `${id} happens late and again`);
    this.#attempts.set(id, { ...known, begun: known.begun + 1, isLate: true });
  }

  ends(id: string): void {
    const known = this.#attempts.get(id);
    if (!known) return;
    known.done++;
    if (known.isLate && known.done > 1 && this.intentOf(id)?.resume !== 'repeat')
      this.#fail('at most once', `${id} was done twice`);
  }
}
