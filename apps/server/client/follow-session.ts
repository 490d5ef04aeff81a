import type { Event, Live } from '@klaus/core/protocol';
import type { QueuedMessage, SessionStream, SessionStatus } from '../contract/index.ts';
import type { Client } from './client.ts';
import { toPath } from './client.ts';
import { follow, type StreamState } from './follow.ts';

export interface FollowSessionOptions {
  session: string;
  /** Seq of the last known event. Default 0: all events. */
  after?: number;
  /** Called with every later event once and in order, also after reconnections. */
  onEvent: (event: Event) => void;
  onLive?: (live: Live) => void;
  /** The queued messages, after each change. */
  onQueue?: (queue: QueuedMessage[]) => void;
  /** The status of the session: before `onReady`, and whenever it may have changed. */
  onStatus?: (status: SessionStatus) => void;
  /** The present log has been delivered. Called again after each reconnection. */
  onReady?: () => void;
  onGone?: () => void;
  onState?: (state: StreamState) => void;
  signal: AbortSignal;
}

/** Follows one session until the signal is aborted or the session is deleted. */
export function followSession(
  { connection }: Pick<Client, 'connection'>,
  options: FollowSessionOptions,
): Promise<void> {
  let seq = options.after ?? 0;
  const gone = new AbortController();
  return follow<SessionStream>({
    connection,
    path: () => toPath('/api/sessions/:id/events', { params: { id: options.session }, query: { after: seq } }),
    on: {
      event(logged) {
        if (logged.seq <= seq) return;
        seq = logged.seq;
        options.onEvent(logged);
      },
      live: options.onLive,
      queue: options.onQueue,
      status: options.onStatus,
      ready: () => options.onReady?.(),
      gone() {
        options.onGone?.();
        gone.abort();
      },
    },
    onState: options.onState,
    signal: AbortSignal.any([options.signal, gone.signal]),
  });
}
