/** The untrusted content of a session according to the log. */
export interface TaintState {
  /** Origin of the first one. */
  readonly source: string;
  /** True if a task of a parent session contained it. */
  isPassed: boolean;
  /** Calls whose results contain text of the web. */
  pages: Set<string>;
  /** Messages of a parent session. */
  passed: Set<string>;
  /** Bits sent by the choice of addresses since the last prompt of the user. */
  spentBits: number;
}
