import { LIMIT_NAMES, type LimitName, type Reserved } from '../../protocol/index.ts';
import type { Forecast } from './forecast.ts';
import { takenOf } from './ledger.ts';
import { openRequestOf, type State } from '../state/state.ts';

/** A limit that the next step would pass. */
export interface LimitReached {
  limit: LimitName;
  used: number;
  cap: number;
  /** The cap that is offered instead. */
  offer: number;
}

/** What is used of each limit. Dollars are 0 where a price is not known: see `isUnpriced`. */
export function usedOf(state: State): Record<LimitName, number> {
  const { spent } = state;
  const { tokens, usd } = takenBy(state);
  return { tokens, usd: usd ?? 0, toolCalls: spent.toolCalls, turns: spent.turns };
}

function takenBy(state: State): Reserved {
  return state.session ? takenOf(state.ledger, state.session.session) : { tokens: 0, usd: 0 };
}

/** True where a limit in dollars cannot be kept: what was spent or what comes next has no known price. */
export function isUnpriced(state: State, usd: number | null): boolean {
  return state.limits.usd > 0 && (usd === null || takenBy(state).usd === null);
}

/**
 * The first limit that a model request of this forecast would pass.
 *
 * @param turns Turns that it begins: 0 for one that belongs to a turn under way, or to none.
 */
export function findModelLimit(state: State, forecast: Forecast, turns: 0 | 1): LimitReached | undefined {
  const used = usedOf(state);
  const needs = { tokens: forecast.tokens, usd: forecast.usd ?? 0, turns, toolCalls: 0 };
  for (const limit of LIMIT_NAMES) {
    if (needs[limit] > 0 && state.limits[limit] > 0 && used[limit] + needs[limit] > state.limits[limit]) {
      return toReached(state, limit, needs[limit]);
    }
  }
  return undefined;
}

/** True when the limits have room for a request that is sent again after `lost` was charged for the one under way. */
export function leavesRoom(state: State, lost: Reserved, need: Reserved): boolean {
  const { tokens, usd } = state.limits;
  const taken = takenBy(state);
  const open = openRequestOf(state)?.reserved ?? { tokens: 0, usd: 0 };
  if (tokens > 0 && taken.tokens - open.tokens + lost.tokens + need.tokens > tokens) return false;
  if (usd === 0) return true;
  if (taken.usd === null || open.usd === null || lost.usd === null || need.usd === null) return false;
  return taken.usd - open.usd + lost.usd + need.usd <= usd;
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
