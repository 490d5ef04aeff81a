import { optional } from '@klaus/sdk/optional';
import { isKlausError } from '@klaus/sdk';
import type { Problem, ProblemCode } from '../contract/index.ts';
import { ERROR_STATUSES } from './error-statuses.ts';

interface RefusalOptions extends Pick<Problem, 'title'>, Partial<Pick<Problem, 'detail' | 'errors' | 'retryable'>> {
  headers?: Readonly<Record<string, string>>;
}

/** A request that is refused before the engine is asked. */
export class Refusal extends Error {
  readonly problem: Problem;
  /** To be sent with the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ProblemCode, { title, headers = {}, ...more }: RefusalOptions) {
    super(title);
    this.headers = headers;
    this.name = 'Refusal';
    this.problem = { type: 'about:blank', title, status, code, ...more };
  }
}

/** The whole of a problem, for where there is one text. */
export function toSentence({ title, detail }: Pick<Problem, 'title' | 'detail'>): string {
  return detail === undefined ? title : `${title} ${detail}`;
}

/** Anything thrown as problem details. What is no KlausError says nothing of its inside. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  if (!isKlausError(error)) {
    const detail = 'This is a defect in Klaus; the log of the server says where it happened.';
    return { type: 'about:blank', title: 'Something went wrong.', status: 500, code: 'internal', detail };
  }
  const { code, message, hint, retryable } = error;
  // "There is no session X" is about the address where the address names it; its code stays.
  const status =
    code === 'usage' && /^There is no (session|question|approval|background process|file|folder)\b/.test(message)
      ? 404
      : ERROR_STATUSES[code];
  return {
    type: 'about:blank',
    title: message,
    status,
    code,
    ...optional({ detail: hint }),
    ...(retryable ? { retryable } : {}),
  };
}
