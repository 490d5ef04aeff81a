import type { Usage } from '../../protocol/index.ts';
import type { ModelInfo, Price } from '../ports/model.ts';

const PER_TOKEN = 1_000_000;

/**
 * The price step that a prompt of this length falls into: the last whose `above` it exceeds. Providers
 * bill the whole request at that step, not only the tokens beyond it.
 */
export function priceFor(info: ModelInfo, promptTokens: number): Price | undefined {
  let found: Price | undefined;
  for (const step of info.prices) if (step.above === 0 || promptTokens > step.above) found = step.price;
  return found;
}

/** What a request cost in US dollars; null when the price is not known. */
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
 * The most that a request can cost in US dollars: a cold cache, so that every prompt token is written to
 * it, and an answer of full length. Null when the price is not known.
 */
export function worstCase(info: ModelInfo, promptTokens: number, maxOutputTokens: number): number | null {
  const price = priceFor(info, promptTokens);
  if (!price) return null;
  const perPromptToken = Math.max(price.input, price.cacheWrite);
  return (promptTokens * perPromptToken + maxOutputTokens * price.output) / PER_TOKEN;
}
