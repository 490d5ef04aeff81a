import type { Draft } from '@klaus/core/agent';
import { EVENT_VERSION, KlausError, repairJson, type Event } from '@klaus/core/protocol';
import { toHash, type ChainHead } from '../sqlite/log/record.ts';

/** The end of a session's chain, with the fence of its newest claim. */
export interface Head extends ChainHead {
  fence: number;
}

/**
 * The drafts as events with their stored texts, and the head after them. Text that is no valid Unicode is repaired, so
 * that every program can read the log.
 */
export function chainDrafts({ seq, hash, fence }: Head, session: string, drafts: readonly Draft[]) {
  const head: Head = { seq, hash, fence };
  const events: Event[] = [];
  const records: string[] = [];
  for (const draft of drafts) {
    head.seq += 1;
    const event: Event = { v: EVENT_VERSION, seq: head.seq, prev: head.hash, session, ...draft };
    const json = JSON.stringify(event);
    const record = repairJson(json);
    head.hash = toHash(record);
    events.push(record === json ? event : (JSON.parse(record) as Event));
    records.push(record);
  }
  return { events, records, head };
}

/** The error of an append whose session was claimed again. */
export function takenOver(session: string): KlausError {
  return new KlausError('store.busy', `Session ${session} was taken over by another process.`, {
    hint: 'Follow it there, or try again after that process has ended.',
  });
}
