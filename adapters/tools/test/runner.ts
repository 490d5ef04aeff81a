import { OTHER_RUNNER_NAMES } from './other-runners.ts';

/** The runners that a model may select. */
export const RUNNERS = ['npm', 'vitest', 'jest', 'mocha', 'node', 'pytest', 'unittest', ...OTHER_RUNNER_NAMES] as const;

export interface RunnerChoice {
  /** A file or folder of tests, relative to the workspace. */
  path?: string;
  /** Only tests whose name matches. */
  pattern?: string;
  /** Default: the runner of the project. */
  runner?: (typeof RUNNERS)[number];
}
