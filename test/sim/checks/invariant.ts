/** The invariants of a session. */
export type Invariant =
  | 'append before emit'
  | 'one gate'
  | 'intent before effect'
  | 'at most once'
  | 'reserved before spent'
  | 'sums agree'
  | 'within the limits'
  | 'approvals answered once'
  | 'approvals are bound'
  | 'authority never grows'
  | 'secrets do not travel'
  | 'every run ends'
  | 'nothing left open'
  | 'commands count once'
  | 'withdrawn or sent'
  | 'history is well-formed'
  | 'one holder'
  | 'changes can be undone'
  | 'review before it is applied'
  | 'chain is intact'
  | 'same canonical log'
  | 'same over every store'
  | 'live holders keep the session'
  | 'former holders append nothing'
  | 'lost wakes are repaired'
  | 'objects before events'
  | 'no bug';

export interface BrokenInvariant {
  invariant: Invariant;
  what: string;
  /** Number of steps until it was found. */
  step: number;
}
