import { type ErrorCode, isKlausError } from '@klaus/sdk';
import type { Problem, ProblemCode } from './contract/index.ts';

/** HTTP statuses of the errors of the engine. */
export const ERROR_STATUSES: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  config: 409,
  auth: 409,
  'model.unknown': 400,
  'model.failed': 502,
  limit: 409,
  denied: 403,
  'sandbox.unavailable': 409,
  'sandbox.failed': 500,
  'workspace.missing': 404,
  'workspace.refused': 403,
  'workspace.outside': 403,
  'workspace.conflict': 409,
  'store.busy': 409,
  'store.corrupt': 500,
  'store.full': 507,
  'tool.unknown': 400,
  'tool.input': 400,
  'tool.failed': 500,
  cancelled: 409,
  timeout: 504,
  internal: 500,
};

/** A request that is refused before the engine is asked. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(
    status: number,
    code: ProblemCode,
    { title, ...more }: Pick<Problem, 'title'> & Partial<Pick<Problem, 'detail' | 'errors' | 'retryable'>>,
  ) {
    super(title);
    this.name = 'Refusal';
    this.problem = { type: 'about:blank', title, status, code, ...more };
  }
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
    ...(hint === undefined ? {} : { detail: hint }),
    ...(retryable ? { retryable } : {}),
  };
}
