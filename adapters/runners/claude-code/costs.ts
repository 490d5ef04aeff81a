import { addUsage, NO_USAGE, type Usage } from '@klaus/core/protocol';
import type { Transcript } from './transcript.ts';
import type { ModelUsage, WireMessageOf } from './wire.ts';

/** The costs of a turn, from sums of the process that also contain those of its agents. */
export class Costs {
  #usd: number;
  #usage: Usage;

  /** @param restored The sums with which the process continues. @param recorded US dollars in the log of Klaus. */
  constructor(restored: Transcript['costs'], recorded: number | null | undefined) {
    // What a turn without an end cost was not recorded.
    this.#usd = Math.min(restored?.usd ?? 0, recorded ?? restored?.usd ?? 0);
    this.#usage = toUsage(restored?.models ?? {});
  }

  /** What was added since the last call. */
  take({ total_cost_usd: usd = this.#usd, modelUsage }: WireMessageOf<'result'>): { usd: number; usage: Usage } {
    const usage = modelUsage ? toUsage(modelUsage) : this.#usage;
    const added = { usd: Math.max(0, usd - this.#usd), usage: subtract(usage, this.#usage) };
    [this.#usd, this.#usage] = [usd, usage];
    return added;
  }
}

function toUsage(models: ModelUsage): Usage {
  return Object.values(models).reduce<Usage>(
    (sum, model) =>
      addUsage(sum, {
        input: model.inputTokens,
        output: model.outputTokens,
        cacheRead: model.cacheReadInputTokens,
        cacheWrite: model.cacheCreationInputTokens,
      }),
    NO_USAGE,
  );
}

function subtract(all: Usage, before: Usage): Usage {
  const less = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite'): number => Math.max(0, all[key] - before[key]);
  return { input: less('input'), output: less('output'), cacheRead: less('cacheRead'), cacheWrite: less('cacheWrite') };
}
