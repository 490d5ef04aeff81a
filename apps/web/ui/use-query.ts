import { useCallback, useEffect, useState } from 'react';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';

export interface Query<T> {
  value: T | undefined;
  error: unknown;
  isLoading: boolean;
  again: () => void;
}

/**
 * Something that is asked of the server, and asked again whenever `key` changes. What came last stays until the new
 * comes.
 *
 * @param key Says what is asked for: another key is another question.
 */
export function useQuery<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Query<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown } | undefined>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    load(ended.signal).then(
      (value) => {
        if (!ended.signal.aborted) setState({ key, value });
      },
      (error: unknown) => {
        if (!ended.signal.aborted) setState({ key, error });
      },
    );
    return () => ended.abort();
    // What is asked for is what the key says.
  }, [key, round]);
  const { link } = useStore(host);
  useEffect(() => {
    // What failed for want of a connection is asked for again once there is one.
    if (link === 'online' && state?.error !== undefined) setRound((at) => at + 1);
  }, [link]);
  return {
    value: state?.value,
    error: state?.key === key ? state.error : undefined,
    isLoading: state?.key !== key,
    again: useCallback(() => setRound((at) => at + 1), []),
  };
}
