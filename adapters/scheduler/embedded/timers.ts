import type { Clock } from '@klaus/core/agent';

/** One timer for each session, the earliest that was set. They share one timer of the process. */
export class Timers {
  readonly #clock: Clock;
  readonly #wake: (session: string) => void;
  readonly #times = new Map<string, number>();
  #timer: AbortController | undefined;
  #next = Infinity;
  #isClosed = false;

  constructor(clock: Clock, wake: (session: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** @param time Unix milliseconds. A later time than the present one of the session changes nothing. */
  add(session: string, time: number): void {
    if (this.#isClosed || time >= (this.#times.get(session) ?? Infinity)) return;
    this.#times.set(session, time);
    if (time < this.#next) this.#set(time);
  }

  of(session: string): number | undefined {
    return this.#times.get(session);
  }

  remove(session: string): void {
    this.#times.delete(session);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.abort();
  }

  #set(time: number): void {
    this.#timer?.abort();
    this.#next = time;
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.sleep(Math.max(time - this.#clock.now(), 0), timer.signal).then(() => {
      if (!timer.signal.aborted) this.#fire();
    });
  }

  #fire(): void {
    const now = this.#clock.now();
    const due = [...this.#times].flatMap(([session, time]) => (time <= now ? [session] : []));
    for (const session of due) this.#times.delete(session);
    this.#next = Infinity;
    let next = Infinity;
    for (const time of this.#times.values()) next = Math.min(next, time);
    if (next < Infinity) this.#set(next);
    for (const session of due) this.#wake(session);
  }
}
