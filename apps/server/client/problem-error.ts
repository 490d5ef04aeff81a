import type { Problem } from '../contract/index.ts';

/** A failed request with the problem details of the server; status 0 if the server is unreachable. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options: { cause?: unknown } = {}) {
    super(problem.detail === undefined ? problem.title : `${problem.title} ${problem.detail}`, options);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

export function isProblemError(value: unknown): value is ProblemError {
  return value instanceof ProblemError;
}
