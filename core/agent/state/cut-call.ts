/** How an answer was cut off within its last call. */
export interface CutCall {
  stopReason: CutReason;
  /** Tokens of the answer; 0 if the provider reported none. */
  tokens: number;
  /** True if the longest answer becomes longer from now on. */
  raisesOutput: boolean;
}

/** Stop reasons of an answer that did not end itself. */
export type CutReason = 'max_tokens' | 'model_context_window_exceeded';

/** What a run knows about the lengths of its answers. */
export interface RunCuts {
  /** Tokens of the last answer, according to the provider. */
  answerTokens: number;
  /** Name and input of the last call within which an answer was cut. */
  lastCall?: string;
  /** True once the output limit has cut a call: the longest answer is `RAISED_OUTPUT` times the setting. */
  isOutputRaised: boolean;
}
