import { useEffect, useEffectEvent } from 'react';
import type { Signal } from './signal.ts';

export function useSignal(name: Signal, run: () => void): void {
  const onSignal = useEffectEvent((event: Event) => {
    if ((event as CustomEvent).detail === name) run();
  });
  useEffect(() => {
    addEventListener('klaus', onSignal);
    return () => removeEventListener('klaus', onSignal);
  }, []);
}
