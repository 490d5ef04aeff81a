import { useEffect, useRef } from 'react';
import type { Signal } from './signal.ts';

/** Does something when a command that is this part's to do was given. */
export function useSignal(name: Signal, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const take = (event: Event) => {
      if ((event as CustomEvent).detail === name) latest.current();
    };
    addEventListener('klaus', take);
    return () => removeEventListener('klaus', take);
  }, [name]);
}
