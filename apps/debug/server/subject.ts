import type { ContextEntry, ErrorSummary, StackFrame, ValueNode } from '../contract/index.ts';

/** What is looked at: a live error with its context, or a record of one. */
export interface Subject {
  readonly frames: readonly StackFrame[];
  /** Why variables of frames are missing. */
  readonly notes?: readonly string[];
  readonly context: readonly ContextEntry[];
  readonly error: ErrorSummary | undefined;
  readonly fingerprint: string;
  /** The items of the context by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The variables of a frame by name, with `this`; undefined if they were not captured. */
  locals(frame: number): Readonly<Record<string, unknown>> | undefined;
  /**
   * Variables as trees.
   *
   * @param path Of a part; undefined: all variables.
   */
  tree(frame: number, options: { path: string | undefined; depth: number }): readonly ValueNode[];
}
