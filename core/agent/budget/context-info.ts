import { LIMIT_NAMES, type LimitName } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { ContextInfo, LimitUse } from '../ports/context-info.ts';
import { forecast } from './forecast.ts';
import { takenOf } from './ledger.ts';
import { usedOf } from './limit-check.ts';

/** Reads the use of the context window and of the limits from the folded state. */
export async function readContextInfo(work: Work): Promise<ContextInfo> {
  const { state, engine, session } = work;
  const model = await work.model();
  // A call follows an answer, so that the provider has counted system prompt and tools.
  const { promptTokens, contextWindow } = forecast(state, model, { settings: engine.settings, overhead: 0 });
  const { tokens, usd } = takenOf(state.ledger, session);
  const { toolCalls, turns, minutes } = usedOf(state);
  const used: Record<LimitName, number | null> = { tokens, usd, toolCalls, turns, minutes };
  const toUse = (limit: LimitName): LimitUse => {
    const cap = state.limits[limit];
    const taken = used[limit];
    return { used: taken, cap, left: cap === 0 || taken === null ? null : Math.max(0, cap - taken) };
  };
  const limits = Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, toUse(limit)]));
  return { used: promptTokens, window: contextWindow, limits: limits as ContextInfo['limits'] };
}
