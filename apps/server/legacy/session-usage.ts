import { isCharged, type Event, type Usage } from '@klaus/sdk';

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** Tokens under the names of the older protocol. The input includes its cached part. */
export function toTokens({ input, output, cacheRead, cacheWrite }: Usage) {
  return {
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
}

/** Sums the charged requests of a session, without those that it inherited as a fork. */
export class SessionUsage {
  #inherited = 0;
  readonly #usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** US dollars; null if the price of any request is unknown. */
  #usd: number | null = 0;

  add(event: Event): void {
    if (event.type === 'session.opened') this.#inherited = event.forked?.seq ?? 0;
    if (event.type !== 'model.attempted' || event.seq <= this.#inherited || !isCharged(event)) return;
    for (const kind of KINDS) this.#usage[kind] += event.usage[kind];
    this.#usd = this.#usd === null || event.usd === null ? null : this.#usd + event.usd;
  }

  /** In the format of the older protocol. */
  get summary(): object {
    const tokens = toTokens(this.#usage);
    return { ...tokens, totalTokens: tokens.inputTokens + tokens.outputTokens, cost: this.#usd };
  }
}
