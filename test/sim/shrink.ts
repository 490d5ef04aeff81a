import type { Ground } from './ground.ts';
import type { Plan } from './plan.ts';
import { compareWithTwin, compareWithUndisturbed, simulate, type Outcome } from './simulate.ts';

/** Maximum simulations to shrink a plan. */
const MAX_TRIES = 120;

/** One simulation with all checks. */
export async function check(ground: Ground, plan: Plan): Promise<Outcome> {
  const outcome = await compareWithTwin(ground, plan, await simulate(ground, plan));
  return compareWithUndisturbed(ground, plan, outcome);
}

/** Removes the parts of a plan that its broken invariant does not need. Returns the smallest plan and its result. */
export async function shrink(ground: Ground, plan: Plan, outcome: Outcome): Promise<{ plan: Plan; outcome: Outcome }> {
  let best = { plan, outcome };
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of toSmaller(best.plan)) {
      if (tries++ >= MAX_TRIES) return best;
      const found = await check(ground, candidate);
      if (found.broken?.invariant !== outcome.broken?.invariant) continue;
      best = { plan: candidate, outcome: found };
      isSmaller = true;
      break;
    }
  }
  return best;
}

function* toSmaller(plan: Plan): Generator<Plan> {
  for (const faults of without(plan.faults)) yield { ...plan, faults };
  for (const cluster of without(plan.cluster ?? [])) yield { ...plan, cluster };
  for (const acts of without(plan.acts)) yield { ...plan, acts };
  if (plan.prompts > 1) yield { ...plan, prompts: 1 };
  if (plan.answers.length > 0) yield { ...plan, answers: plan.answers.slice(0, -1) };
  for (const [at, answer] of plan.answers.entries()) {
    const replace = (changed: Partial<typeof answer>): Plan => ({
      ...plan,
      answers: plan.answers.with(at, { ...answer, ...changed }),
    });
    for (const calls of without(answer.calls)) yield replace({ calls });
    for (const failures of without(answer.failures)) yield replace({ failures });
  }
}

function without<T>(items: readonly T[]): T[][] {
  return items.map((_, at) => items.toSpliced(at, 1));
}
