import { isCharged, type Event, type Usage } from '@klaus/sdk';

/** What a session has spent. */
export interface TokenUsageSummary {
  /** Whole prompts: what was read from the cache or written to it is part of them. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  totalTokens: number;
  /** US dollars; null when the price of any part is not known. */
  cost: number | null;
}

/** The prompt of a request, with its cached part. */
export function toInputTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

/** Adds up the charged requests of a session, without those that a fork took over. */
export class SessionSums {
  #inherited = 0;
  #usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #usd: number | null = 0;

  add(event: Event): void {
    if (event.type === 'session.opened') this.#inherited = event.forked?.seq ?? 0;
    if (event.type !== 'model.attempted' || event.seq <= this.#inherited || !isCharged(event)) return;
    const { input, output, cacheRead, cacheWrite } = this.#usage;
    this.#usage = {
      input: input + event.usage.input,
      output: output + event.usage.output,
      cacheRead: cacheRead + event.usage.cacheRead,
      cacheWrite: cacheWrite + event.usage.cacheWrite,
    };
    this.#usd = this.#usd === null || event.usd === null ? null : this.#usd + event.usd;
  }

  get summary(): TokenUsageSummary {
    const { output, cacheRead, cacheWrite } = this.#usage;
    const inputTokens = toInputTokens(this.#usage);
    return {
      inputTokens,
      outputTokens: output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
      totalTokens: inputTokens + output,
      cost: this.#usd,
    };
  }
}
