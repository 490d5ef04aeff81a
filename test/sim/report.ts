import type { BrokenInvariant } from './checks/invariant.ts';
import type { GroundKind } from './open-ground.ts';
import type { Plan } from './plan.ts';
import type { Outcome } from './simulate.ts';

/** The result of one seed. */
export interface Report {
  seed: number;
  /** Hash of all steps in order. */
  hash: string;
  steps: number;
  events: number;
  crashes: number;
  /** Processes of a cluster that were stopped, and calls and attempts of its scheduler that were lost. */
  stops: number;
  lostWakes: number;
  lostAttempts: number;
  broken?: BrokenInvariant;
  /** The smallest plan that breaks the invariant. */
  plan?: Plan;
  /** The last steps before the invariant broke. */
  tail?: string[];
}

/** Steps that are shown. */
const TAIL = 40;

export function toReport({ seed, hash, steps, events, crashes, broken, trace }: Outcome, plan: Plan): Report {
  const count = (end: string): number => trace.filter((line) => line.endsWith(end)).length;
  const faults = { stops: count(' is stopped'), lostWakes: count(' is lost'), lostAttempts: count(' ended: lost') };
  const base = { seed, hash, steps, events: events.length, crashes, ...faults };
  return broken ? { ...base, broken, plan, tail: trace.slice(-TAIL) } : base;
}

/** The report of a broken invariant. @param kind Which lives were simulated. */
export function toText({ seed, broken, plan, tail = [] }: Report, { store, scheduler }: GroundKind): string {
  if (!broken || !plan) return '';
  const { answers, faults, cluster = [], acts, replies, ...rest } = plan;
  const list = (name: string, items: readonly unknown[]): string[] =>
    items.length === 0 ? [] : [`  ${name}:`, ...items.map((item) => `    ${shorten(JSON.stringify(item))}`)];
  return [
    `seed ${seed}: "${broken.invariant}" is broken at step ${broken.step}`,
    `  ${broken.what}`,
    'the smallest plan found that breaks it:',
    `  ${JSON.stringify(rest)}`,
    ...list('answers', answers),
    ...list('faults', faults),
    ...list('faults of the cluster', cluster),
    ...list('acts', acts),
    ...list('replies', replies.slice(0, 3)),
    'the last steps (milliseconds, process, step):',
    ...tail.map((line) => `  ${line}`),
    `again: npm run test:sim -- --store ${store}${scheduler ? ` --scheduler ${scheduler}` : ''} --seed ${seed}`,
  ].join('\n');
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
