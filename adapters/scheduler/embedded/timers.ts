/** The longest time that Node's timers can wait, in milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** One timer for each session, the earliest that was set. They share one timer of the process. */
export class Timers {
  readonly #wake: (session: string) => void;
  readonly #times = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #next = Infinity;
  #isClosed = false;

  constructor(wake: (session: string) => void) {
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
    clearTimeout(this.#timer);
  }

  #set(time: number): void {
    clearTimeout(this.#timer);
    this.#next = time;
    const wait = Math.min(Math.max(time - Date.now(), 0), MAX_MS);
    this.#timer = setTimeout(() => this.#fire(), wait).unref();
  }

  #fire(): void {
    const now = Date.now();
    const due = [...this.#times].flatMap(([session, time]) => (time <= now ? [session] : []));
    for (const session of due) this.#times.delete(session);
    this.#next = Infinity;
    let next = Infinity;
    for (const time of this.#times.values()) next = Math.min(next, time);
    if (next < Infinity) this.#set(next);
    for (const session of due) this.#wake(session);
  }
}
