import type { CallEntry, Entry } from '@klaus/core/conversation';

/** Tools that only read. Consecutive finished calls of them are shown as one row. */
const READS = new Set(['read_file', 'list_files', 'search_files', 'git_status', 'git_diff', 'git_log', 'recall']);

/** True for a finished call that only read and that needed no answer. */
export function isRead(entry: Entry): entry is CallEntry {
  if (entry.kind !== 'call' || !READS.has(entry.name) || entry.state !== 'finished') return false;
  return entry.asked === undefined && entry.by === undefined && entry.result?.evidence === undefined;
}

/** What a row of calls says. */
export interface GroupFacts {
  /** Number of calls by what they did. */
  read: number;
  listed: number;
  searched: number;
  other: number;
  failed: number;
  /** Sum in milliseconds. */
  durationMs: number;
}

export function toGroupFacts(calls: readonly CallEntry[]): GroupFacts {
  const facts: GroupFacts = { read: 0, listed: 0, searched: 0, other: 0, failed: 0, durationMs: 0 };
  for (const { name, result } of calls) {
    if (name === 'read_file') facts.read++;
    else if (name === 'list_files') facts.listed++;
    else if (name === 'search_files') facts.searched++;
    else facts.other++;
    if (result?.outcome !== 'ok') facts.failed++;
    facts.durationMs += result?.durationMs ?? 0;
  }
  return facts;
}
