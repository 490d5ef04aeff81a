import type { GuardDecision } from '@klaus/sdk/guard-log';
import { dismissGuardState, readGuardStates, toDecider } from '@klaus/sdk/guard-log';
import type { GuardDecisionView } from '../contract/guard-routes.ts';
import type { PartialHandlers } from '../http/handler.ts';

export const guardHandlers = {
  guardStates: (_given, { klaus, seen }) => ({
    states: readGuardStates(klaus.store.view)
      .filter(({ workspace }) => seen.sees(workspace))
      .map(({ of, workspace, place, state, reason, since, isDismissed }) => ({
        ...{ of, workspace, state, reason, since, isDismissed },
        place: place ?? null,
      })),
  }),

  dismissGuardState: async ({ body }, { klaus }) => ({ dismissed: await dismissGuardState(klaus, body.of) }),

  async guardDecisions({ query: { verdict, ...query } }, { guardLog, seen }) {
    const { decisions, next } = await guardLog.decisions({
      ...query,
      sees: seen.sees,
      verdicts: verdict === undefined ? undefined : [verdict],
    });
    return { decisions: decisions.map(toView), next };
  },

  guardRates: async ({ query }, { guardLog, seen }) => ({
    rates: await guardLog.rates({ ...query, sees: seen.sees }),
    workspaces: (await guardLog.workspaces()).filter(seen.sees),
  }),
} satisfies PartialHandlers;

function toView(decision: GuardDecision): GuardDecisionView {
  const { seq, at, workspace, guarded, event, agent, tool, text, verdict, rule, reason, reviews = [] } = decision;
  return {
    ...{ seq, at, workspace, guarded, event, text, verdict, rule, reason },
    agent: agent ?? null,
    tool: tool ?? null,
    decider: toDecider(decision),
    reviews: reviews.map(({ usd, ...review }) => ({ ...review, usd: usd ?? null })),
  };
}
