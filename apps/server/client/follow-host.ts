import type { SessionView } from '../contract/index.ts';
import type { Client } from './client.ts';
import { follow, type StreamState } from './follow.ts';

export interface FollowHostOptions {
  /** All sessions. Called first and after each reconnection; replaces earlier views. */
  onSnapshot: (sessions: SessionView[]) => void;
  onSession: (session: SessionView) => void;
  onRemoved: (session: string, undoUntil: number | null) => void;
  onState?: (state: StreamState) => void;
  signal: AbortSignal;
}

/** Follows the list of sessions until the signal is aborted. */
export function followHost({ connection }: Pick<Client, 'connection'>, options: FollowHostOptions): Promise<void> {
  return follow({
    connection,
    path: () => '/api/events',
    onMessage({ event, data }) {
      const value: unknown = JSON.parse(data);
      if (event === 'snapshot') options.onSnapshot((value as { sessions: SessionView[] }).sessions);
      else if (event === 'session') options.onSession(value as SessionView);
      else if (event === 'removed') {
        const { session, undoUntil } = value as { session: string; undoUntil: number | null };
        options.onRemoved(session, undoUntil);
      }
    },
    onState: options.onState,
    signal: options.signal,
  });
}
