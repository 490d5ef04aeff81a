/** A piece of what was said, called or given in a session, exactly as the log holds it. */
export interface RecalledText {
  /** Record of the log that it stands in. */
  seq: number;
  turn: number;
  /** What it is: `result of read_file src/a.ts`, `the user`. */
  title: string;
  text: string;
  /** Where `text` begins, in characters. */
  start: number;
  /** Characters of the whole. */
  length: number;
}

export interface RecallSearch {
  /** The best first. */
  hits: RecalledText[];
  /** Records that were too large to be looked through; their text can be read all the same. */
  skipped: number[];
}

/** The text of one session's log, also of what no longer is in the context. */
export interface Recall {
  /**
   * Finds text by words: where they stand as they are asked for, then where all of them stand, then any.
   *
   * @param options.limit Hits at most; default 6.
   */
  search(query: string, options?: { limit?: number }): Promise<RecallSearch>;
  /**
   * The text of one record from `start` (default 0), at most `max` characters. Undefined for a record without
   * text.
   */
  read(seq: number, options: { start?: number; max: number }): Promise<RecalledText | undefined>;
}
