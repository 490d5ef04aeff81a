import type { GuardDecision } from '@klaus/sdk/guard-log';
import { dismissGuardState, readGuardStates, toDecider } from '@klaus/sdk/guard-log';
import type { GuardDecisionView } from '../contract/guard-routes.ts';
import type { PartialHandlers } from '../http/handler.ts';

export const guardHandlers = {
  guardStates: (_given, { klaus }) => ({
    states: readGuardStates(klaus.store.view).map(({ of, workspace, place, state, reason, since, isDismissed }) => ({
      ...{ of, workspace, state, reason, since, isDismissed },
      place: place ?? null,
    })),
  }),

  dismissGuardState: async ({ body }, { klaus }) => ({ dismissed: await dismissGuardState(klaus, body.of) }),

  async guardDecisions({ query: { verdict, ...query } }, { guardLog }) {
    const { decisions, next } = await guardLog.decisions({
      ...query,
      verdicts: verdict === undefined ? undefined : [verdict],
    });
    return { decisions: decisions.map(toView), next };
  },

  guardRates: async ({ query }, { guardLog }) => ({
    rates: await guardLog.rates(query),
    workspaces: await guardLog.workspaces(),
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
