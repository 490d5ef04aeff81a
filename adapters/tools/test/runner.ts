import { OTHER_RUNNER_NAMES } from './other-runners.ts';

/** What a model may ask for by name. */
export const RUNNERS = ['npm', 'vitest', 'jest', 'mocha', 'node', 'pytest', 'unittest', ...OTHER_RUNNER_NAMES] as const;
export type RunnerOption = (typeof RUNNERS)[number];

export type RunnerName = 'vitest' | 'jest' | 'mocha' | 'node:test' | 'pytest' | 'unittest' | 'script' | 'other';

/** How a project's tests are run. */
export interface Runner {
  name: RunnerName;
  /** A line for the shell. */
  command: string;
}

export interface RunnerChoice {
  /** A file or folder of tests, relative to the workspace. */
  path?: string | undefined;
  /** Only tests whose name fits. */
  pattern?: string | undefined;
  /** Default: what the project has. */
  runner?: RunnerOption | undefined;
}
