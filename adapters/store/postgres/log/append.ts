import type { Draft, Lease } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Head } from '../../shared/chain-drafts.ts';

/** One call of `append` that waits for its commit. */
export interface Append {
  readonly lease: Lease;
  readonly drafts: readonly Draft[];
  /** Ids of commands. */
  readonly consume: readonly string[];
  /** The result of the call. */
  readonly promise: Promise<Event[]>;
  resolve(events: Event[]): void;
  reject(error: unknown): void;
  /** What an earlier attempt wrote, of which it is not known whether it was committed. */
  written?: Written;
}

/** The drafts as events with their texts, and the head after them. */
export interface Written {
  events: Event[];
  records: string[];
  head: Head;
}

/** What became of an append in a transaction: it takes effect with the commit. */
export type Outcome = { append: Append; written: Written } | { append: Append; error: unknown };
