import { LIMIT_NAMES, type EventOf, type LimitName, type Reserved } from '../../protocol/index.ts';
import type { Forecast } from './forecast.ts';
import { accountOf, takenOf } from './ledger.ts';
import { openRequestOf, type State } from '../state/state.ts';

/** A limit that the next step would exceed, with the new cap that the user can approve. */
export type LimitReached = NonNullable<EventOf<'run.finished'>['limit']>;

/** Minutes that a request needs at least: how many is known only after it. */
const MINUTES_STEP = Number.EPSILON;

/** The used part of each limit. Dollars are 0 if a price is unknown: see `isUnpriced`. */
export function usedOf(state: State): Record<LimitName, number> {
  const { tokens, usd } = takenBy(state);
  return {
    tokens,
    usd: usd ?? 0,
    toolCalls: countOf(state, 'toolCalls'),
    turns: countOf(state, 'turns'),
    minutes: countOf(state, 'minutes'),
  };
}

/** Turns, tool calls or minutes of the session and of its children. An open child has reserved its limit. */
export function countOf(state: State, limit: 'turns' | 'toolCalls' | 'minutes'): number {
  const { spent, children } = state;
  let sum = limit === 'minutes' ? minutesOf(state) : spent[limit];
  for (const child of children.values()) {
    sum += child.isClosed ? child[limit] : Math.max(child.limits[limit], child[limit]);
  }
  return sum;
}

/** Minutes in which models worked for the session itself. */
export function minutesOf({ ledger, session }: State): number {
  return accountOf(ledger, session?.session ?? '').workedMs / 60_000;
}

function takenBy(state: State): Reserved {
  return state.session ? takenOf(state.ledger, state.session.session) : { tokens: 0, usd: 0 };
}

/** True if a limit in dollars cannot be enforced, because a past or the next request has no known price. */
export function isUnpriced(state: State, usd: number | null): boolean {
  return state.limits.usd > 0 && (usd === null || takenBy(state).usd === null);
}

/** The first limit that a request would exceed. @param turns 0 for a request of an open turn, or of none. */
export function findModelLimit(state: State, forecast: Forecast, turns: 0 | 1): LimitReached | undefined {
  const used = usedOf(state);
  const needs = { tokens: forecast.tokens, usd: forecast.usd ?? 0, turns, toolCalls: 0, minutes: MINUTES_STEP };
  const isReached = (limit: LimitName): boolean =>
    needs[limit] > 0 && state.limits[limit] > 0 && used[limit] + needs[limit] > state.limits[limit];
  const limit = LIMIT_NAMES.find(isReached);
  return limit && toReached(state, limit, needs[limit]);
}

/** True if the limits allow another attempt after `lost` is charged for the failed one. */
export function leavesRoom(state: State, lost: Reserved, need: Reserved): boolean {
  const { tokens, usd } = state.limits;
  const taken = takenBy(state);
  const open = openRequestOf(state)?.reserved ?? { tokens: 0, usd: 0 };
  if (tokens > 0 && taken.tokens - open.tokens + lost.tokens + need.tokens > tokens) return false;
  if (usd === 0) return true;
  if (taken.usd === null || open.usd === null || lost.usd === null || need.usd === null) return false;
  return taken.usd - open.usd + lost.usd + need.usd <= usd;
}

/** How many of `wanted` tool calls the limit allows; 0 if it is reached. */
export function toolCallsLeft(state: State, wanted: number): number {
  const cap = state.limits.toolCalls;
  return cap === 0 ? wanted : Math.max(0, Math.min(wanted, cap - countOf(state, 'toolCalls')));
}

/** The offer is 150 % of the cap, or more if the next step needs it. */
export function toReached(state: State, limit: LimitName, need: number): LimitReached {
  const used = usedOf(state)[limit];
  const cap = state.limits[limit];
  const offer = Math.max(cap * 1.5, (used + need) * 1.25);
  return { limit, used, cap, offer: limit === 'usd' ? Math.ceil(offer * 100) / 100 : Math.ceil(offer) };
}

/** Limits that are used to 80 % or more and were not announced in this run. */
export function findWarnings(state: State): (Omit<LimitReached, 'offer'> & { percent: number })[] {
  const used = usedOf(state);
  return LIMIT_NAMES.flatMap((limit) => {
    const cap = state.limits[limit];
    if (cap === 0 || state.run?.warned.has(limit)) return [];
    const percent = Math.round((used[limit] / cap) * 100);
    return percent >= 80 ? [{ limit, percent, used: used[limit], cap }] : [];
  });
}
