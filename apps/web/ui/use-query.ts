import { useCallback, useEffect, useState } from 'react';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';

export interface Query<T> {
  value: T | undefined;
  error: unknown;
  isLoading: boolean;
  refetch: () => void;
}

/** Loads a value from the server, and again whenever `key` changes. The previous value stays until the new one arrives. */
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
    // The key identifies what `load` requests.
  }, [key, round]);
  const { link } = useStore(host);
  useEffect(() => {
    // Retry a failed query after reconnecting.
    if (link === 'online' && state?.error !== undefined) setRound((at) => at + 1);
  }, [link]);
  return {
    value: state?.value,
    error: state?.key === key ? state.error : undefined,
    isLoading: state?.key !== key,
    refetch: useCallback(() => setRound((at) => at + 1), []),
  };
}
