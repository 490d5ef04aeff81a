import { useEffect, useRef } from 'react';
import type { Signal } from './signal.ts';

/** Calls back on a signal. */
export function useSignal(name: Signal, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onSignal = (event: Event) => {
      if ((event as CustomEvent).detail === name) latest.current();
    };
    addEventListener('klaus', onSignal);
    return () => removeEventListener('klaus', onSignal);
  }, [name]);
}
