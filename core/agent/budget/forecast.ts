import type { Model, Price } from '../ports/model.ts';
import { priceFor, worstCase } from './cost.ts';
import { leftOf } from './ledger.ts';
import type { EngineSettings } from '../loop/settings.ts';
import type { State } from '../state/state.ts';

/** UTF-8 bytes that make a token at worst, for text that no provider has counted yet. */
const BYTES_PER_TOKEN = 3;
/** An answer shorter than this is not worth asking for. */
const SHORTEST_ANSWER = 1_024;
const PER_TOKEN = 1_000_000;

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
  const most = Math.min(options.settings.maxOutputTokens, model.info.maxOutputTokens);
  const room = outputLeft(state, promptTokens, priceFor(model.info, promptTokens));
  const maxOutputTokens = room < most ? Math.max(Math.min(SHORTEST_ANSWER, most), room) : most;
  return {
    promptTokens,
    maxOutputTokens,
    tokens: promptTokens + maxOutputTokens,
    usd: worstCase(model.info, promptTokens, maxOutputTokens),
    contextWindow: model.info.contextWindow,
  };
}

/** Tokens of an answer that the limits leave room for; may be negative, and Infinity without limits. */
function outputLeft(state: State, promptTokens: number, price: Price | undefined): number {
  if (!state.session) return Infinity;
  const left = leftOf(state.ledger, state.session.session);
  const byTokens = left.tokens - promptTokens;
  if (left.usd === null || left.usd === Infinity || !price || price.output === 0) return byTokens;
  const forAnswer = left.usd - (promptTokens * Math.max(price.input, price.cacheWrite)) / PER_TOKEN;
  return Math.min(byTokens, Math.floor((forAnswer * PER_TOKEN) / price.output));
}
