import type { RunnerLimit } from '@klaus/core/agent';

/** What does not hold for a program that `klaus wrap` runs. Everything else does. */
export const WRAP_LIMITS: readonly RunnerLimit[] = [
  {
    invariant: 'one gate',
    reason:
      'The gate judges the start of the program. What it does in its sandbox is recorded as observed, without a decision.',
  },
  {
    invariant: 'receipts',
    reason: 'Commands that the program runs are no evidence.',
  },
  {
    invariant: 'resume without loss',
    reason: 'The program ends with Klaus. Its own session is continued by its own command.',
  },
  { invariant: 'replay', reason: 'The loop of another program cannot be repeated.' },
  { invariant: 'compaction and pins', reason: 'The program manages its own context.' },
];
