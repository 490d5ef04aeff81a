import type { Authority } from '../../protocol/index.ts';
import { isNothing } from './authority.ts';

/** Amounts that are used up. */
export interface Amounts {
  /** US dollars. */
  usd: number;
  /** Model turns. */
  turns: number;
  /** Agents that may be created, over all generations. */
  agents: number;
}

export const NO_AMOUNTS: Amounts = { usd: 0, turns: 0, agents: 0 };

/** The amounts that a list allows: several authorities over one amount cap the same amount, so the largest counts. */
export function amountsOf(authorities: readonly Authority[]): Amounts {
  const out = { ...NO_AMOUNTS };
  for (const one of authorities) {
    if (one.kind === 'spend') out.usd = Math.max(out.usd, one.usd);
    else if (one.kind === 'turns') out.turns = Math.max(out.turns, one.count);
    else if (one.kind === 'spawn') out.agents = Math.max(out.agents, one.count);
  }
  return out;
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return mapAmounts((key) => a[key] + b[key]);
}

/** `a` minus `b`, at least 0. */
export function subtractAmounts(a: Amounts, b: Amounts): Amounts {
  return mapAmounts((key) => Math.max(0, a[key] - b[key]));
}

export function leastAmounts(a: Amounts, b: Amounts): Amounts {
  return mapAmounts((key) => Math.min(a[key], b[key]));
}

export function mostAmounts(a: Amounts, b: Amounts): Amounts {
  return mapAmounts((key) => Math.max(a[key], b[key]));
}

/** The list with `used` subtracted from every amount. */
export function deductAmounts(authorities: readonly Authority[], used: Amounts): Authority[] {
  return mapPots(authorities, (amount, key) => amount - used[key]);
}

/** The list with at most `most` of every amount. */
export function capAmounts(authorities: readonly Authority[], most: Amounts): Authority[] {
  return mapPots(authorities, (amount, key) => Math.min(amount, most[key]));
}

function mapPots(
  authorities: readonly Authority[],
  change: (amount: number, key: keyof Amounts) => number,
): Authority[] {
  const changed = authorities.map((one): Authority => {
    if (one.kind === 'spend') return { ...one, usd: Math.max(0, change(one.usd, 'usd')) };
    if (one.kind === 'turns') return { ...one, count: Math.max(0, change(one.count, 'turns')) };
    if (one.kind === 'spawn') return { ...one, count: Math.max(0, change(one.count, 'agents')) };
    return one;
  });
  return changed.filter((one) => !isNothing(one));
}

function mapAmounts(value: (key: keyof Amounts) => number): Amounts {
  return { usd: value('usd'), turns: value('turns'), agents: value('agents') };
}
