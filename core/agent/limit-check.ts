import { LIMIT_NAMES, type LimitName } from '../protocol/index.ts';
import { countedTokens, type Forecast } from './forecast.ts';
import type { State } from './state.ts';

/** A limit that the next step would pass. */
export interface LimitReached {
  limit: LimitName;
  used: number;
  cap: number;
  /** The cap that is offered instead. */
  offer: number;
}

/** What is used of each limit. */
export function usedOf(state: State): Record<LimitName, number> {
  const { spent } = state;
  return { tokens: countedTokens(state), usd: spent.usd ?? 0, toolCalls: spent.toolCalls, turns: spent.turns };
}

/** The first limit that a model request of this forecast would pass. */
export function findModelLimit(state: State, forecast: Forecast): LimitReached | undefined {
  const used = usedOf(state);
  const needs = { tokens: forecast.tokens, usd: forecast.usd ?? 0, turns: 1, toolCalls: 0 };
  for (const limit of LIMIT_NAMES) {
    if (limit === 'toolCalls') continue;
    if (state.limits[limit] > 0 && used[limit] + needs[limit] > state.limits[limit]) {
      return toReached(state, limit, needs[limit]);
    }
  }
  return undefined;
}

/** What a request takes, or took, of the limits. */
interface Taken {
  tokens: number;
  /** US dollars; null when the price is not known. */
  usd: number | null;
}

/** True when the limits have room for a request that is sent again after `lost` was charged for the broken one. */
export function leavesRoom(state: State, lost: Taken, need: Taken): boolean {
  const used = usedOf(state);
  const { tokens, usd } = state.limits;
  if (tokens > 0 && used.tokens + lost.tokens + need.tokens > tokens) return false;
  return usd === 0 || used.usd + (lost.usd ?? 0) + (need.usd ?? 0) <= usd;
}

/** How many of `wanted` tool calls the limit leaves; 0 when it is reached. */
export function toolCallsLeft(state: State, wanted: number): number {
  const cap = state.limits.toolCalls;
  return cap === 0 ? wanted : Math.max(0, Math.min(wanted, cap - state.spent.toolCalls));
}

/** The offer is half as much again, and at least what the next step needs. */
export function toReached(state: State, limit: LimitName, need: number): LimitReached {
  const used = usedOf(state)[limit];
  const cap = state.limits[limit];
  const offer = Math.max(cap * 1.5, (used + need) * 1.25);
  return { limit, used, cap, offer: limit === 'usd' ? Math.ceil(offer * 100) / 100 : Math.ceil(offer) };
}

/** Limits that are at 80 % or more and were not announced in this run. */
export function findWarnings(state: State): { limit: LimitName; percent: number; used: number; cap: number }[] {
  const used = usedOf(state);
  return LIMIT_NAMES.flatMap((limit) => {
    const cap = state.limits[limit];
    if (cap === 0 || state.run?.warned.has(limit)) return [];
    const percent = Math.round((used[limit] / cap) * 100);
    return percent >= 80 ? [{ limit, percent, used: used[limit], cap }] : [];
  });
}

const UNITS: Record<LimitName, string> = {
  tokens: 'tokens',
  usd: 'US dollars',
  toolCalls: 'tool calls',
  turns: 'turns',
};

/** `tokens 98,000 of 100,000`. */
export function describeLimit(reached: { limit: LimitName; used: number; cap: number }): string {
  const round = (value: number): string => (reached.limit === 'usd' ? value.toFixed(4) : Math.round(value).toString());
  return `${round(reached.used)} of ${round(reached.cap)} ${UNITS[reached.limit]} used`;
}
