import { findSizes } from '../budget/learned-sizes.ts';
import type { Work } from '../loop/work.ts';
import type { Model, ModelFailure } from '../ports/model.ts';

/** Part of the context window from which a refusal without a known cause is taken for one of the length. */
const NEARLY_FULL = 0.7;
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** A server that does not say why it refuses a request that nearly fills the window refuses its length. */
export function toOverflow(
  failure: ModelFailure,
  { work, model, promptTokens }: { work: Pick<Work, 'state'>; model: Model; promptTokens: number },
): ModelFailure {
  const isUnknown = failure.code === 'invalid_request' && failure.cause === undefined && REFUSALS.has(failure.status);
  const isLong = promptTokens > NEARLY_FULL * findSizes(work.state, model).contextWindow;
  return isUnknown && isLong ? { ...failure, code: 'context_window' } : failure;
}
