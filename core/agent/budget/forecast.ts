import type { Model, ModelInfo, Price } from '../ports/model.ts';
import { priceFor, worstCase } from './cost.ts';
import { findSizes } from './learned-sizes.ts';
import { leftOf } from './ledger.ts';
import type { EngineSettings } from '../loop/settings.ts';
import type { State } from '../state/state.ts';

/** Minimum UTF-8 bytes of a token, for text that no provider has counted. */
export const BYTES_PER_TOKEN = 3;
/** Minimum tokens of an answer that is requested. */
export const SHORTEST_ANSWER = 1_024;
/** Factor of the longest answer in a run in which the output limit has cut a call: raised once, within the limits. */
export const RAISED_OUTPUT = 4;
/** Tokens by which a forecast of a prompt may be too low: roles and templates of messages are not in it. */
const MARGIN = 256;
const PER_TOKEN = 1_000_000;

/** The maximum cost of the next model request. */
export interface Forecast {
  promptTokens: number;
  /** Maximum tokens of the answer: the setting, or less if the model or a limit allows less. */
  maxOutputTokens: number;
  /** Maximum tokens of prompt and answer with a cold cache. */
  tokens: number;
  /** The same in US dollars; null if the price is unknown. */
  usd: number | null;
  contextWindow: number;
}

/** Estimates a request from the last counted one and later messages. @param overhead Characters of system and tools. */
export function forecast(
  state: State,
  model: Model,
  options: { settings: EngineSettings; overhead: number },
): Forecast {
  const { measured } = state;
  const promptTokens = measured
    ? measured.tokens + Math.ceil(Math.max(0, state.bytes - measured.bytes) / BYTES_PER_TOKEN)
    : Math.ceil((state.bytes + options.overhead) / BYTES_PER_TOKEN);
  const sizes = findSizes(state, model);
  const wanted = longestAnswer(state, sizes, options.settings);
  // A server that named its window counts the requested answer as a part of it.
  const left = sizes.isLearned ? Math.max(SHORTEST_ANSWER, sizes.contextWindow - promptTokens - MARGIN) : Infinity;
  const most = Math.min(wanted, left);
  const room = outputLeft(state, promptTokens, priceFor(model.info, promptTokens));
  const maxOutputTokens = room < most ? Math.max(Math.min(SHORTEST_ANSWER, most), room) : most;
  return {
    promptTokens,
    maxOutputTokens,
    tokens: promptTokens + maxOutputTokens,
    usd: worstCase(model.info, promptTokens, maxOutputTokens),
    contextWindow: sizes.contextWindow,
  };
}

/** Tokens of the longest answer, without the limits of the session. */
export function longestAnswer(
  { run }: Pick<State, 'run'>,
  sizes: Pick<ModelInfo, 'maxOutputTokens'>,
  settings: Pick<EngineSettings, 'maxOutputTokens'>,
): number {
  return Math.min(settings.maxOutputTokens * (run?.cuts.isOutputRaised ? RAISED_OUTPUT : 1), sizes.maxOutputTokens);
}

/** Tokens of an answer that the limits allow; may be negative. Infinity without limits. */
export function outputLeft(state: State, promptTokens: number, price: Price | undefined): number {
  if (!state.session) return Infinity;
  const left = leftOf(state.ledger, state.session.session);
  const byTokens = left.tokens - promptTokens;
  if (left.usd === null || left.usd === Infinity || !price || price.output === 0) return byTokens;
  const forAnswer = left.usd - (promptTokens * Math.max(price.input, price.cacheWrite)) / PER_TOKEN;
  return Math.min(byTokens, Math.floor((forAnswer * PER_TOKEN) / price.output));
}
