import { useCallback, useEffect, useRef, useState } from 'react';

export interface EachResult<T> {
  value?: T;
  error?: unknown;
}

/**
 * Loads a value for each id, and again when its key changes. The previous value stays until the new one arrives, also if
 * that fails.
 */
export function useEach<T>(
  ids: readonly string[],
  load: (id: string) => Promise<T>,
  toKey: (id: string) => string,
): { results: (EachResult<T> | undefined)[]; refetch: (ids: readonly string[]) => void } {
  const [results, setResults] = useState<ReadonlyMap<string, EachResult<T>>>(new Map());
  const [rounds, setRounds] = useState<ReadonlyMap<string, number>>(new Map());
  const loaded = useRef(new Map<string, string>());
  useEffect(() => {
    for (const id of ids) {
      const key = `${toKey(id)} ${rounds.get(id) ?? 0}`;
      if (loaded.current.get(id) === key) continue;
      loaded.current.set(id, key);
      const put = (result: (before: EachResult<T> | undefined) => EachResult<T>) => {
        // A later request has replaced this one.
        if (loaded.current.get(id) === key) setResults((before) => new Map(before).set(id, result(before.get(id))));
      };
      load(id).then(
        (value) => put(() => ({ value })),
        (error: unknown) => put((before) => ({ ...before, error })),
      );
    }
  });
  const refetch = useCallback(
    (some: readonly string[]) =>
      setRounds((before) => new Map([...before, ...some.map((id) => [id, (before.get(id) ?? 0) + 1] as const)])),
    [],
  );
  return { results: ids.map((id) => results.get(id)), refetch };
}
