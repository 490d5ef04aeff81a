import { z } from 'zod';

/** Why a model stopped, in the union of what the providers say. */
export const stopReasonSchema = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'cancelled',
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** How a model request fails. All but the last four are worth another try. */
export const modelFailureCodeSchema = z.enum([
  'rate_limited', // 429
  'overloaded', // 529, 503
  'server_error', // other 5xx
  'connection', // reset, refused, DNS, a stream that ended early
  'idle', // no byte for the idle time
  'malformed', // bytes that are not the protocol
  'auth', // 401, 403
  'invalid_request', // other 4xx
  'context_window', // the prompt is too long
  'abandoned', // the process ended while the request was under way
]);
export type ModelFailureCode = z.infer<typeof modelFailureCodeSchema>;

const FINAL: ReadonlySet<ModelFailureCode> = new Set(['auth', 'invalid_request', 'context_window']);

export function isRetryable(code: ModelFailureCode): boolean {
  return !FINAL.has(code);
}

const OUTAGES: ReadonlySet<string> = new Set<ModelFailureCode>([
  'rate_limited',
  'overloaded',
  'server_error',
  'connection',
  'idle',
]);

/** True for what says that the model is away, and may be back: the network, the server or its load. */
export function isOutage(outcome: string): boolean {
  return OUTAGES.has(outcome);
}
