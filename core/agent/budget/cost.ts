import type { Usage } from '../../protocol/index.ts';
import type { ModelInfo, Price } from '../ports/model.ts';

const PER_TOKEN = 1_000_000;

/**
 * The price step of a prompt of this length: the last one whose `above` it exceeds. Providers bill all tokens of the
 * request at that step.
 */
export function priceFor(info: ModelInfo, promptTokens: number): Price | undefined {
  let found: Price | undefined;
  for (const step of info.prices) if (step.above === 0 || promptTokens > step.above) found = step.price;
  return found;
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

/**
 * The maximum cost of a request in US dollars: every prompt token is written to a cold cache, and the answer has full
 * length. Null if the price is unknown.
 */
export function worstCase(info: ModelInfo, promptTokens: number, maxOutputTokens: number): number | null {
  const price = priceFor(info, promptTokens);
  if (!price) return null;
  const perPromptToken = Math.max(price.input, price.cacheWrite);
  return (promptTokens * perPromptToken + maxOutputTokens * price.output) / PER_TOKEN;
}
