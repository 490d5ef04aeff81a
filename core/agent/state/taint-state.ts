/** The untrusted content of a session according to the log. */
export interface TaintState {
  /** Origin of the first one. */
  readonly source: string;
  /** Origins of all, up to a limit. */
  readonly sources: Set<string>;
  /** True if a task of a parent session contained it. */
  isPassed: boolean;
  /** Calls whose results contain text of the web. */
  pages: Set<string>;
  /** Messages that the user did not write. */
  passed: Set<string>;
  /** Bits sent by the choice of addresses since the last prompt of the user. */
  spentBits: number;
}
