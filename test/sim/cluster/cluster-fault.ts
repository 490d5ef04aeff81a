/** A planned fault of the lives of a cluster. */
export type ClusterFault =
  /** The holder is stopped when a task with this label is ready for the n-th time, and continues after `ms`. */
  | { kind: 'stop'; label: string; nth: number; ms: number }
  /** The n-th wake does not arrive: the call fails, or its caller ends before it. */
  | { kind: 'lost'; nth: number; how: 'fails' | 'dropped' }
  /** The n-th wake arrives twice, the second time after `ms`. */
  | { kind: 'twice'; nth: number; ms: number }
  /** The n-th attempt is given to another worker as well, `ms` later, with a number that is smaller by `older`. */
  | { kind: 'late'; nth: number; older: 0 | 1; ms: number };
