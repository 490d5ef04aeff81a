import { isRecord } from '@klaus/core/protocol';
import type { BodyEvent } from '../wire/body-parser.ts';
import { toRecord } from '../wire/untrusted.ts';

/** Fields in which servers say what went wrong. */
const OF_ERRORS = ['message', 'detail', 'errors', 'msg', 'error_msg', 'Message'];

/** The fields that matter here. */
interface Fields {
  error?: unknown;
  type?: unknown;
  object?: unknown;
  choices?: unknown;
  usage?: unknown;
  content?: unknown;
  /** MiniMax: the status of each chunk, which is not 0 for an error. */
  base_resp?: { status_code?: unknown; status_msg?: unknown } | null;
}

/**
 * The body of an error that arrives in the place of an event, after a status of success. Servers send it as the event
 * `error`, as an object with `error`, as an object of the type `error` or `response.failed`, or as any other object that is no event and
 * has a message.
 */
export function toErrorBody({ name, value }: BodyEvent): unknown {
  if (name === 'error') return value;
  if (!isRecord(value)) return undefined;
  const { error, type, object, choices, usage, content, base_resp: status }: Fields = value;
  if (isFilled(error) || type === 'error' || object === 'error') return value;
  if (type === 'response.failed' || type === 'response.cancelled') return toRecord(value['response'])['error'] ?? value;
  if (status?.status_code && isFilled(status.status_msg))
    return { code: status.status_code, message: status.status_msg };
  if (choices !== undefined || type !== undefined || object !== undefined || usage !== undefined) return undefined;
  return content === undefined && OF_ERRORS.some((field) => isFilled(value[field])) ? value : undefined;
}

/** Servers send `error: null`, `error: ""` and `error: {}` with events that are none. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
