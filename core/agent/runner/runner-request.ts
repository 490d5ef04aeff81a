import { accountOf } from '../budget/ledger.ts';
import { usedOf } from '../budget/limit-check.ts';
import type { Work } from '../loop/work.ts';
import type { RunnerRequest } from '../ports/runner.ts';
import { openedOf } from '../state/state.ts';

/** What the program of a session needs to start. */
export function toRunnerRequest(work: Work, signal: AbortSignal): RunnerRequest {
  const { state } = work;
  const { runner, workspace, readable = [], sandbox } = openedOf(state);
  const { command, home, model, settingSources, mcpServers } = runner!;
  const { agentSession, limits } = state;
  const usdLeft = limits.usd === 0 ? undefined : Math.max(0, limits.usd - usedOf(state).usd);
  return {
    ...{ session: work.session, command, workspace, folders: readable, signal },
    ...{ isSandboxed: sandbox !== 'host', mode: work.authority.mode() },
    model,
    settingSources,
    mcpServers,
    usdLeft,
    home,
    ...(agentSession === undefined
      ? {}
      : { resume: { id: agentSession, usd: accountOf(state.ledger, work.session).usd } }),
  };
}
