import type { AttentionListView, SessionView } from '@klaus/server/contract';
import { readStored, writeStored } from './storage.ts';

const KEY = 'klaus.last';
/** Sessions that are stored, the latest first. */
const MAX = 60;

/** The list of sessions as it was last shown, for a page that opens without a connection. */
export interface LastState {
  /** Unix milliseconds. */
  at: number;
  sessions: readonly SessionView[];
  attention: AttentionListView;
}

export function saveLastState(sessions: Iterable<SessionView>, attention: AttentionListView): void {
  const latest = [...sessions].toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, MAX);
  writeStored(KEY, { at: Date.now(), sessions: latest, attention } satisfies LastState);
}

/** Undefined without one. */
export function readLastState(): LastState | undefined {
  const stored = readStored(KEY) as Partial<LastState> | null | undefined;
  if (typeof stored?.at !== 'number' || !Array.isArray(stored.sessions) || !Array.isArray(stored.attention?.items))
    return undefined;
  return stored as LastState;
}

export function clearLastState(): void {
  writeStored(KEY, null);
}
