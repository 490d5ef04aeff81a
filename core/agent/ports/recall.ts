/** A part of a message, call or result of a session, exactly as in the log. */
export interface RecalledText {
  /** Seq of its event. */
  seq: number;
  turn: number;
  /** Its kind, such as `result of read_file src/a.ts` or `the user`. */
  title: string;
  text: string;
  /** Offset of `text`, in characters. */
  start: number;
  /** Characters of the complete text. */
  length: number;
}

export interface RecallSearch {
  /** The best first. */
  hits: RecalledText[];
  /** Events that were too large to be searched. `read` returns their text. */
  skipped: number[];
}

/** The text of a session's log, including messages that are no longer in the context. */
export interface Recall {
  /**
   * Finds text by words: first the exact phrase, then all words, then any word.
   *
   * @param options.limit Maximum hits; default 6.
   */
  search(query: string, options?: { limit?: number }): Promise<RecallSearch>;
  /**
   * The text of one event from `start` (default 0), at most `max` characters. Undefined for an event without text.
   */
  read(seq: number, options: { start?: number; max: number }): Promise<RecalledText | undefined>;
}
