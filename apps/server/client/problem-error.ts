import type { Problem } from '../contract/index.ts';

/** A refused request, with what the server said about it; status 0 where it could not be reached. */
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
