import type { HostEventOf } from '@klaus/core/protocol';

export type GuardDecision = HostEventOf<'guard.decided'>;

/** The reviewer that can overturn the denial of another one. Its review follows the denial. */
const APPEAL = 'tool-appeal';
/** The rule of a denial that met a later call. Its reviewer is not recorded. */
const LATE = 'late';
const DAY_CHARS = 'yyyy-mm-dd'.length;

/** How often a reviewer was asked, and what became of its denials. */
export interface ReviewerRates {
  reviewer: string;
  reviews: number;
  denied: number;
  /** Denials about which an appeal was decided. */
  appealed: number;
  /** Denials that an appeal overturned. */
  overturned: number;
  /** US dollars of its requests to a model. */
  usd: number;
}

export interface GuardDay {
  /** UTC, such as `2026-01-31`. */
  day: string;
  calls: number;
  denied: number;
  /** US dollars that the reviewers spent. */
  usd: number;
}

export interface GuardRates {
  /** Calls of tools that were decided. */
  calls: number;
  /** Of these calls. */
  denied: number;
  /** Of these calls: the user was asked. */
  asked: number;
  /** Ends of turns that were blocked. */
  blocked: number;
  /** In alphabetical order. */
  reviewers: ReviewerRates[];
  /** Days with decisions, the oldest first. */
  days: GuardDay[];
}

export function createGuardRates(): GuardRates {
  return { calls: 0, denied: 0, asked: 0, blocked: 0, reviewers: [], days: [] };
}

/** Adds one decision. Decisions come in the order of their time. */
export function foldGuardRates(rates: GuardRates, decision: GuardDecision): void {
  const { event, verdict, reviews = [] } = decision;
  const day = findDay(rates, toDay(decision.at));
  if (event === 'PreToolUse') {
    for (const counted of [rates, day]) {
      counted.calls += 1;
      if (verdict === 'deny') counted.denied += 1;
    }
    if (verdict === 'ask') rates.asked += 1;
  } else if (verdict === 'deny') rates.blocked += 1;
  for (const [at, { reviewer, outcome, usd = 0 }] of reviews.entries()) {
    const of = findReviewer(rates, reviewer);
    of.reviews += 1;
    of.usd += usd;
    day.usd += usd;
    if (outcome !== 'deny') continue;
    of.denied += 1;
    const next = reviewer === APPEAL ? undefined : reviews[at + 1];
    if (next?.reviewer !== APPEAL) continue;
    of.appealed += 1;
    if (next.outcome === 'pass') of.overturned += 1;
  }
}

/** Who decided: the name of a reviewer, `late` for a reviewer whose denial met a later call, else `gate`. */
export function toDecider({ rule, reviews = [] }: Pick<GuardDecision, 'rule' | 'reviews'>): string {
  return rule === LATE || reviews.some(({ reviewer }) => reviewer === rule) ? rule : 'gate';
}

export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, DAY_CHARS);
}

function findReviewer({ reviewers }: GuardRates, reviewer: string): ReviewerRates {
  const found = reviewers.find((it) => it.reviewer === reviewer);
  if (found) return found;
  const added = { reviewer, reviews: 0, denied: 0, appealed: 0, overturned: 0, usd: 0 };
  reviewers.push(added);
  reviewers.sort((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
  return added;
}

function findDay({ days }: GuardRates, day: string): GuardDay {
  const last = days.at(-1);
  if (last?.day === day) return last;
  const added = { day, calls: 0, denied: 0, usd: 0 };
  days.push(added);
  return added;
}

/** The sum of rates of different projects or days. */
export function addGuardRates(all: readonly GuardRates[]): GuardRates {
  const sum = createGuardRates();
  const days = new Map<string, GuardDay>();
  for (const rates of all) {
    for (const name of ['calls', 'denied', 'asked', 'blocked'] as const) sum[name] += rates[name];
    for (const { reviewer, ...counts } of rates.reviewers) {
      const of = findReviewer(sum, reviewer);
      for (const name of ['reviews', 'denied', 'appealed', 'overturned', 'usd'] as const) of[name] += counts[name];
    }
    for (const { day, calls, denied, usd } of rates.days) {
      const before = days.get(day) ?? { day, calls: 0, denied: 0, usd: 0 };
      days.set(day, { day, calls: before.calls + calls, denied: before.denied + denied, usd: before.usd + usd });
    }
  }
  sum.days = [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1));
  return sum;
}
