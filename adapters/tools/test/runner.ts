import { OTHER_RUNNER_NAMES } from './other-runners.ts';

/** The runners that a model may select. */
export const RUNNERS = ['npm', 'vitest', 'jest', 'mocha', 'node', 'pytest', 'unittest', ...OTHER_RUNNER_NAMES] as const;
export type RunnerOption = (typeof RUNNERS)[number];

export type RunnerName = 'vitest' | 'jest' | 'mocha' | 'node:test' | 'pytest' | 'unittest' | 'script' | 'other';

/** The command that runs the tests. */
export interface Runner {
  name: RunnerName;
  /** A shell command line. */
  command: string;
}

export interface RunnerChoice {
  /** A file or folder of tests, relative to the workspace. */
  path?: string | undefined;
  /** Only tests whose name matches. */
  pattern?: string | undefined;
  /** Default: the runner of the project. */
  runner?: RunnerOption | undefined;
}
