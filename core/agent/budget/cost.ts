import type { Usage } from '../../protocol/index.ts';
import type { ModelInfo, Price } from '../ports/model.ts';

const PER_TOKEN = 1_000_000;

/** The last price step whose `above` the prompt exceeds. Providers bill all tokens of the request at that step. */
export function priceFor(info: ModelInfo, promptTokens: number): Price | undefined {
  return info.prices.findLast(({ above }) => above === 0 || promptTokens > above)?.price;
}

/** The cost of a request in US dollars; null if the price is unknown. */
export function cost(info: ModelInfo, usage: Usage): number | null {
  const price = priceFor(info, usage.input + usage.cacheRead + usage.cacheWrite);
  if (!price) return null;
  return (
    (usage.input * price.input +
      usage.output * price.output +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite * price.cacheWrite) /
    PER_TOKEN
  );
}

/** The maximum cost in US dollars, with a cold cache and an answer of full length. Null if the price is unknown. */
export function worstCase(info: ModelInfo, promptTokens: number, maxOutputTokens: number): number | null {
  const price = priceFor(info, promptTokens);
  if (!price) return null;
  const perPromptToken = Math.max(price.input, price.cacheWrite);
  return (promptTokens * perPromptToken + maxOutputTokens * price.output) / PER_TOKEN;
}
