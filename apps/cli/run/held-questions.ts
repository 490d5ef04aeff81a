import type { Event, EventOf } from '@klaus/sdk';

export interface HeldQuestion {
  asked: EventOf<'approval.asked'>;
  /** Aborts when it is answered, here or elsewhere, or no longer needs an answer. */
  signal: AbortSignal;
}

/** The questions of a run that does not park for them: the process of its agent waits for the answer. */
export class HeldQuestions {
  readonly #open = new Map<string, { question: HeldQuestion; done: AbortController; isTaken: boolean }>();
  #added = Promise.withResolvers<void>();

  /** @returns The question that the event asks, if the run waits for its answer. */
  add(event: Event): EventOf<'approval.asked'> | undefined {
    if (event.type === 'approval.answered') {
      this.#open.get(event.approval)?.done.abort();
      this.#open.delete(event.approval);
    } else if (event.type === 'approval.asked' && event.held && event.subject.kind !== 'limit') {
      const done = new AbortController();
      this.#open.set(event.approval, { question: { asked: event, signal: done.signal }, done, isTaken: false });
      this.#added.resolve();
      this.#added = Promise.withResolvers();
      return event;
    }
    return undefined;
  }

  /** The next open question; each is returned once. Never rejects. */
  async next(): Promise<HeldQuestion> {
    for (;;) {
      const found = [...this.#open.values()].find(({ isTaken }) => !isTaken);
      if (found) {
        found.isTaken = true;
        return found.question;
      }
      await this.#added.promise;
    }
  }
}
