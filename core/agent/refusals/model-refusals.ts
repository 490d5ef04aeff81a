import type { EventOf } from '../../protocol/index.ts';

/** What is known of the requests of turns to one model. */
export interface ModelRefusals {
  /** Id of the last message of the last accepted request. */
  accepted?: string;
  /** Refused requests since then. */
  inARow: number;
  /** What later requests leave out. */
  left: EventOf<'content.refused'>[];
}

/** HTTP statuses with which servers refuse a request for its content. */
const STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 415, 422]);

/** True for a request that the server refused, probably for its content. */
export function isRefused(attempt: Pick<EventOf<'model.attempted'>, 'outcome' | 'status' | 'cause'>): boolean {
  const { outcome, status, cause } = attempt;
  // Klaus stopped after the answer.
  if (cause === 'prompt_cut') return false;
  return (outcome === 'invalid_request' || outcome === 'context_window') && (!status || STATUSES.has(status));
}
