import { LIMIT_NAMES } from '../../protocol/index.ts';
import { toReached, usedOf, type LimitReached } from '../budget/limit-check.ts';
import { isUnsent } from '../runner/unsent.ts';
import { runOf, type State } from '../state/state.ts';

/** Whether an agent that another program drives has something to do: it got no answer yet, or was interrupted. */
export function needsAgentTurn(state: State): boolean {
  const run = runOf(state);
  return run.turns === 0 || run.interrupted === true || state.messages.slice(state.prompted).some(isUnsent);
}

/** The first limit that is used up. What a turn costs is known only after it. */
export function findUsedUp(state: State): LimitReached | undefined {
  const used = usedOf(state);
  const limit = LIMIT_NAMES.find((name) => state.limits[name] > 0 && used[name] >= state.limits[name]);
  return limit && toReached(state, limit, 1);
}
