/**
 * The keys of questions and reviews, the same at every door. They act only in a question that has the focus; with Alt,
 * `approve` and `reject` answer the question that is shown, and `recall` focuses it.
 */
export const ANSWER_KEYS = {
  approve: 'y',
  reject: 'n',
  review: 'h',
  /** Approves, also later calls of this session. Enter confirms it. */
  session: 's',
  /** Approves, also later calls in this project. Enter confirms it. */
  project: 'p',
  edit: 'e',
  view: 'v',
  later: 'q',
  /** Shows and focuses the question. */
  recall: 'a',
  /** In a review of hunks. */
  acceptRest: 'a',
  rejectRest: 'x',
  comment: 'c',
  next: 'j',
  previous: 'k',
} as const;
