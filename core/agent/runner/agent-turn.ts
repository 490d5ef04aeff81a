import type { Work } from '../loop/work.ts';
import type { Answers } from './answers.ts';

/** A call that the agent makes by itself. */
export interface Observed {
  /** Its id in the log. */
  id: string;
  began: number;
  /** True: a message of the log contains it. */
  isRecorded: boolean;
  /** True: it has its result. */
  isClosed: boolean;
}

/** One turn of the agent. */
export interface Turn {
  work: Work;
  answers: Answers;
  stop: AbortController;
  signal: AbortSignal;
}
