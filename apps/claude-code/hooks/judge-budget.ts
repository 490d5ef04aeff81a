import type { HostEventOf, Klaus } from '@klaus/sdk';

const DAY_MS = 86_400_000;

/** What the reviewers may spend on models in a day (UTC), as a fold of the host chain. */
export class JudgeBudget {
  readonly #store: Klaus['store'];
  readonly #usdPerDay: number;
  #day = -1;
  #spent = 0;

  constructor({ store }: Pick<Klaus, 'store'>, usdPerDay: number) {
    this.#store = store;
    this.#usdPerDay = usdPerDay;
  }

  /** True if a model may be asked now. */
  async isLeft(): Promise<boolean> {
    const day = Math.floor(Date.now() / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#spent = 0;
      for await (const event of this.#store.hostEvents({ type: 'guard.decided', since: day * DAY_MS }))
        if (event.type === 'guard.decided') this.add(event);
    }
    return this.#spent < this.#usdPerDay;
  }

  add({ reviews = [] }: Pick<HostEventOf<'guard.decided'>, 'reviews'>): void {
    for (const { usd = 0 } of reviews) this.#spent += usd;
  }
}
