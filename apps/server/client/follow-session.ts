import type { Event, Live } from '@klaus/core/protocol';
import type { QueuedMessage, SessionStream, SessionStatus } from '../contract/index.ts';
import type { Client } from './client.ts';
import { toPath } from './client.ts';
import { follow, type StreamState } from './follow.ts';

export interface FollowSessionOptions {
  session: string;
  /** Seq of the last event that is known already. Default 0: all of them. */
  after?: number;
  /** Every event after that, once and in order, whatever happens to the connection. */
  onEvent: (event: Event) => void;
  /** Text on its way. */
  onLive?: (live: Live) => void;
  /** The messages that wait, whenever that changes. */
  onQueue?: (queue: QueuedMessage[]) => void;
  /** Where the session stands: before `onReady`, and whenever that may have changed. */
  onStatus?: (status: SessionStatus) => void;
  /** Everything that was in the log at the beginning has come; again after each reconnection. */
  onReady?: () => void;
  /** The session was deleted. */
  onGone?: () => void;
  onState?: (state: StreamState) => void;
  signal: AbortSignal;
}

/** Follows one session until the signal says enough, or it is gone. */
export function followSession(
  { connection }: Pick<Client, 'connection'>,
  options: FollowSessionOptions,
): Promise<void> {
  let seq = options.after ?? 0;
  const gone = new AbortController();
  return follow({
    connection,
    path: () => toPath('/api/sessions/:id/events', { params: { id: options.session }, query: { after: seq } }),
    onMessage({ event, data }) {
      const value: unknown = JSON.parse(data);
      if (event === 'event') {
        const logged = value as SessionStream['event'];
        if (logged.seq <= seq) return;
        seq = logged.seq;
        options.onEvent(logged);
      } else if (event === 'live') options.onLive?.(value as Live);
      else if (event === 'queue') options.onQueue?.(value as QueuedMessage[]);
      else if (event === 'status') options.onStatus?.(value as SessionStatus);
      else if (event === 'ready') options.onReady?.();
      else if (event === 'gone') {
        options.onGone?.();
        gone.abort();
      }
    },
    onState: options.onState,
    signal: AbortSignal.any([options.signal, gone.signal]),
  });
}
