import { z } from 'zod';

/** Why a model stopped: the union of the reasons of all providers. */
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

/** Why a request to a model failed. `isRetryable` says which ones are retried. */
export const modelFailureCodeSchema = z.enum([
  'rate_limited', // 429
  'overloaded', // 529, 503
  'server_error', // other 5xx
  'connection', // reset, refused, DNS, a stream that ended early
  'idle', // no byte for the time of `retry.firstTokenMs` or `retry.idleMs`
  'malformed', // bytes that do not follow the protocol
  'auth', // 401, 403
  'invalid_request', // other 4xx
  'context_window', // the prompt is too long
  'budget', // a limit beyond the session refused it: it was not sent
  'abandoned', // the process ended during the request
]);
export type ModelFailureCode = z.infer<typeof modelFailureCodeSchema>;

/** What the server said about the cause of a failure, if its code leaves several. */
export const modelFailureCauseSchema = z.enum([
  'unknown_model', // the server does not have the model, or not for this account
  'no_credit', // the account has no credit, or its quota is used up
  'blocked', // a firewall or a proxy in front of the server refused the request
  'wrong_address', // the server does not have the path of the request
  'parameter', // the server refuses a parameter of the request
  'output_limit', // `maxOutputTokens` is more than the server has room for
  'prompt_cut', // the server gives the model only a part of the request
]);
export type ModelFailureCause = z.infer<typeof modelFailureCauseSchema>;

const FINAL: ReadonlySet<ModelFailureCode> = new Set(['auth', 'invalid_request', 'context_window', 'budget']);

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

/** True for a temporary failure of the network, of the server, or by its load. */
export function isOutage(outcome: string): boolean {
  return OUTAGES.has(outcome);
}
