import type { AttentionListView, HostStream, SessionView } from '../contract/index.ts';
import type { Client } from './client.ts';
import { follow, type StreamState } from './follow.ts';

export interface FollowHostOptions {
  /** All sessions. Called first and after each reconnection; replaces earlier views. */
  onSnapshot: (sessions: SessionView[]) => void;
  onSession: (session: SessionView) => void;
  onRemoved: (session: string, undoUntil: number | null) => void;
  /** The sessions that need the user, first after the snapshot and then after each change. */
  onAttention?: (list: AttentionListView) => void;
  /** The guard of Claude Code decided something. @param seq Its seq in the host chain. */
  onGuard?: (seq: number) => void;
  onState?: (state: StreamState) => void;
  signal: AbortSignal;
}

/** Follows the list of sessions until the signal is aborted. */
export function followHost({ connection }: Pick<Client, 'connection'>, options: FollowHostOptions): Promise<void> {
  return follow<HostStream>({
    connection,
    path: () => '/api/events',
    on: {
      snapshot: ({ sessions }) => options.onSnapshot(sessions),
      session: options.onSession,
      removed: ({ session, undoUntil }) => options.onRemoved(session, undoUntil),
      attention: (list) => options.onAttention?.(list),
      guard: ({ seq }) => options.onGuard?.(seq),
    },
    onState: options.onState,
    signal: options.signal,
  });
}
