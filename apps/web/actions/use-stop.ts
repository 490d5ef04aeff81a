import { useEffect, useState } from 'react';
import { client } from '../state/client.ts';
import { trySend } from './attempt.ts';
import { useSignal } from './use-signal.ts';

/** How far the wish to stop has come. `waiting`: it could not be sent yet. */
export type Stopping = 'sending' | 'sent' | 'waiting';

interface CancelRequest {
  /** The run that is meant; undefined where none had begun. */
  run: string | undefined;
  state: Stopping;
}

interface Given {
  session: string;
  /** The run under way. */
  run: string | undefined;
  /** Something can be stopped. */
  isRunning: boolean;
  isOnline: boolean;
}

/**
 * Stops the run of a session. A wish that could not be sent is sent as soon as the connection is back, and means the
 * run that was under way when it was given: it never stops a later one.
 */
export function useStop({ session, run, isRunning, isOnline }: Given): {
  stopping: Stopping | undefined;
  stop: () => void;
} {
  const [wish, setWish] = useState<CancelRequest | undefined>();
  const isMeant = wish !== undefined && isRunning && (wish.run === undefined || wish.run === run);
  const send = async (wanted: string | undefined) => {
    setWish({ run: wanted, state: 'sending' });
    const body = wanted === undefined ? {} : { run: wanted };
    const sent = await trySend(() => client.cancel({ params: { id: session }, body }));
    setWish(sent === 'refused' ? undefined : { run: wanted, state: sent === 'taken' ? 'sent' : 'waiting' });
  };
  const state = isMeant ? wish.state : undefined;
  useEffect(() => {
    if (isOnline && state === 'waiting') void send(wish?.run);
  }, [isOnline, state === 'waiting']);
  useEffect(() => {
    // What it meant is over.
    if (!isRunning) setWish(undefined);
  }, [isRunning]);
  const stop = () => {
    if (isRunning && state === undefined) void send(run);
  };
  useSignal('stop', stop);
  return { stopping: state, stop };
}
