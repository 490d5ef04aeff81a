import { optional } from '../../protocol/index.ts';
import { outputLeft, SHORTEST_ANSWER } from '../budget/forecast.ts';
import { isUnpriced } from '../budget/limit-check.ts';
import { priceFor, worstCase } from '../budget/cost.ts';
import type { Work } from '../loop/work.ts';
import type { ProgramRequest, Reservation } from '../ports/runner.ts';
import { runOf } from '../state/state.ts';

type InOrder = <T>(run: () => Promise<T>) => Promise<T>;

/** Reserves the highest cost of a request in the log, with an answer that is as long as the limits allow. */
export function reserveRequest(
  work: Work,
  request: ProgramRequest,
  inOrder: InOrder,
): Promise<Reservation | { refused: string }> {
  const { state, engine } = work;
  const { model, info, promptTokens } = request;
  return inOrder(async () => {
    if (isUnpriced(state, worstCase(info, promptTokens, 0)))
      return { refused: `No price is known for ${model}, so that the budget in dollars cannot be kept.` };
    const room = outputLeft(state, promptTokens, priceFor(info, promptTokens));
    if (room < Math.min(SHORTEST_ANSWER, request.maxOutputTokens)) return { refused: describeSpent(work) };
    const maxOutputTokens = Math.min(request.maxOutputTokens, room);
    const id = engine.ids.ulid();
    const head = {
      run: runOf(state).id,
      purpose: 'program' as const,
      turn: state.turn,
      model,
      attempt: 1,
      request: id,
    };
    const reserved = { tokens: promptTokens + maxOutputTokens, usd: worstCase(info, promptTokens, maxOutputTokens) };
    const requestHash = engine.ids.digest(request.body);
    await work.append([{ type: 'model.requested', ...head, requestHash, reserved }]);
    const settle = ({ status, message, ...end }: Parameters<Reservation['settle']>[0]): Promise<void> =>
      inOrder(() => work.append([{ type: 'model.attempted', ...head, ...end, ...optional({ status, message }) }]));
    return { maxOutputTokens, settle };
  });
}

function describeSpent({ state }: Work): string {
  const { usd, tokens } = state.limits;
  const limits = [usd > 0 ? `${usd} US dollars` : [], tokens > 0 ? `${tokens} tokens` : []].flat();
  return `The budget of ${limits.join(' and ')} does not allow another request.`;
}
