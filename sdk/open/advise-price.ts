import { singleQuote } from '@klaus/core/protocol';

/** How to set the price of a model, as a sentence. */
export function advisePrice(model: string): string {
  const prices = JSON.stringify({ [model]: { input: 1, output: 5 } });
  return `Set it in dollars per million tokens: klaus config set prices ${singleQuote(prices)}.`;
}
