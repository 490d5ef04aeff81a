import { isKlausError } from '@klaus/sdk';
import type { Problem, ProblemCode } from '../contract/index.ts';
import { ERROR_STATUSES } from './error-statuses.ts';

interface RefusalOptions extends Pick<Problem, 'title'>, Partial<Pick<Problem, 'detail' | 'errors' | 'retryable'>> {
  headers?: Readonly<Record<string, string>>;
}

/** A request that the server refuses itself. */
export class Refusal extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ProblemCode, { title, headers = {}, ...more }: RefusalOptions) {
    super(title);
    this.headers = headers;
    this.name = 'Refusal';
    this.problem = { type: 'about:blank', title, status, code, ...more };
  }
}

export function toSentence({ title, detail }: Pick<Problem, 'title' | 'detail'>): string {
  return detail === undefined ? title : `${title} ${detail}`;
}

/** Errors about a resource that is missing or exists already have a status of their own; their code stays `usage`. */
const USAGE_STATUSES = [
  [/^There is no (session|question|approval|background process|file|folder|agent|clone|commit|added project)\b/, 404],
  [/^There is an agent\b/, 409],
] as const;

/** Converts anything thrown to problem details. Errors that are no KlausError keep their message to themselves. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem;
  if (!isKlausError(error)) {
    const detail = 'This is a defect in Klaus. The log of the server has the stack trace.';
    return { type: 'about:blank', title: 'Internal error.', status: 500, code: 'internal', detail };
  }
  const { code, message, hint, retryable } = error;
  const status =
    code === 'usage'
      ? (USAGE_STATUSES.find(([start]) => start.test(message))?.[1] ?? ERROR_STATUSES.usage)
      : ERROR_STATUSES[code];
  return {
    type: 'about:blank',
    title: message,
    status,
    code,
    detail: hint,
    ...(retryable ? { retryable } : {}),
  };
}
