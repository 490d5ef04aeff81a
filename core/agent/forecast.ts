import type { Model } from './ports/model.ts';
import { worstCase } from './cost.ts';
import type { EngineSettings } from './settings.ts';
import type { State } from './state.ts';

/** UTF-8 bytes that make a token at worst, for text that no provider has counted yet. */
const BYTES_PER_TOKEN = 3;
/** An answer shorter than this is not worth asking for. */
const SHORTEST_ANSWER = 1_024;

/** What the next model request may cost, before it is sent. */
export interface Forecast {
  promptTokens: number;
  /** Tokens that the answer may have: the setting, or less where the model or a limit leaves less. */
  maxOutputTokens: number;
  /** Worst case with a cold cache: prompt and whole answer. */
  tokens: number;
  /** The same in US dollars; null when the price is not known. */
  usd: number | null;
  contextWindow: number;
}

/**
 * Estimates the next request from the last one that was counted, plus what came since.
 *
 * @param overhead Characters of system prompt and tools.
 */
export function forecast(
  state: State,
  model: Model,
  options: { settings: EngineSettings; overhead: number },
): Forecast {
  const { measured } = state;
  const promptTokens = measured
    ? measured.tokens + Math.ceil(Math.max(0, state.bytes - measured.bytes) / BYTES_PER_TOKEN)
    : Math.ceil((state.bytes + options.overhead) / BYTES_PER_TOKEN);
  let maxOutputTokens = Math.min(options.settings.maxOutputTokens, model.info.maxOutputTokens);
  const left = tokensLeft(state);
  if (left !== undefined) maxOutputTokens = Math.max(SHORTEST_ANSWER, Math.min(maxOutputTokens, left - promptTokens));
  return {
    promptTokens,
    maxOutputTokens,
    tokens: promptTokens + maxOutputTokens,
    usd: worstCase(model.info, promptTokens, maxOutputTokens),
    contextWindow: model.info.contextWindow,
  };
}

function tokensLeft(state: State): number | undefined {
  const { tokens } = state.limits;
  return tokens === 0 ? undefined : tokens - countedTokens(state);
}

/** Tokens that count against the limit so far. */
export function countedTokens(state: State): number {
  const { usage } = state.spent;
  return usage.input + usage.cacheWrite + usage.output;
}
