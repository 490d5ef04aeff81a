import type { ExecLimits } from '../ports/sandbox.ts';

export interface RetrySettings {
  /** Requests for one turn at most, the first included. */
  attempts: number;
  /** First wait in milliseconds; doubles each time, with jitter. */
  baseMs: number;
  /** Longest wait in milliseconds that is not the provider's own wish. */
  maxMs: number;
  /** Milliseconds from the first failure on during which an outage is waited out, whatever `attempts` says; 0: not. */
  waitMs: number;
  /** Milliseconds without a byte after which a request is given up. */
  idleMs: number;
}

/** What the loop needs to know of the configuration. */
export interface EngineSettings {
  /** Tokens of one answer at most. */
  maxOutputTokens: number;
  /** Invalid tool inputs in a row, and continuations of a cut answer in a row, before the run gives up. */
  maxRetries: number;
  retry: RetrySettings;
  /** Characters of one tool result that the model sees. */
  maxToolOutputContext: number;
  maxSearchResults: number;
  execLimits: ExecLimits;
  gitIdentity: { name: string; email: string };
  /** Fraction of the context window at which the history is compacted. */
  compactAt: number;
  /** Milliseconds after which an open question is refused. */
  approvalTtlMs: number;
  /**
   * When background processes end that are not marked to survive: `run` with the run that started them, `close` when
   * Klaus is closed.
   */
  endProcesses: 'run' | 'close';
  /** The user's globs of secret files beside the known ones, relative to the workspace. */
  secretPatterns: readonly string[];
  /** Globs of files that commands find empty whatever is in them: what a policy denies reading. */
  hiddenPatterns: readonly string[];
}
