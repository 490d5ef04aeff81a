import { useEffect, useState } from 'react';
import { client } from '../state/client.ts';
import { trySend } from './attempt.ts';
import { useSignal } from './use-signal.ts';

/** The state of a cancel request. `waiting`: it is sent after reconnecting. */
export type Stopping = 'sending' | 'sent' | 'waiting';

interface CancelRequest {
  /** The run to cancel; undefined if none had started. */
  run: string | undefined;
  state: Stopping;
}

interface StopOptions {
  session: string;
  run: string | undefined;
  isRunning: boolean;
  isOnline: boolean;
}

/**
 * Cancels the run of a session. A request that could not be sent is sent after reconnecting. It names the run that was
 * active when the user cancelled, so it never cancels a later one.
 */
export function useStop({ session, run, isRunning, isOnline }: StopOptions) {
  const [request, setRequest] = useState<CancelRequest | undefined>();
  const isCurrent = request !== undefined && isRunning && (request.run === undefined || request.run === run);
  const send = async (wanted: string | undefined) => {
    setRequest({ run: wanted, state: 'sending' });
    const body = wanted === undefined ? {} : { run: wanted };
    const sent = await trySend(() => client.cancel({ params: { id: session }, body }));
    setRequest(sent === 'rejected' ? undefined : { run: wanted, state: sent === 'accepted' ? 'sent' : 'waiting' });
  };
  const state = isCurrent ? request.state : undefined;
  useEffect(() => {
    if (isOnline && state === 'waiting') void send(request?.run);
  }, [isOnline, state === 'waiting']);
  useEffect(() => {
    // The run has ended.
    if (!isRunning) setRequest(undefined);
  }, [isRunning]);
  const stop = () => {
    if (isRunning && state === undefined) void send(run);
  };
  useSignal('stop', stop);
  return { stopping: state, stop };
}
