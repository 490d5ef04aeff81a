import { useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A component whose code is fetched when it is first shown, or before by calling `load` ahead. React's own `lazy` keeps
 * whatever it had to wait for out of sight for 300 ms, so that several of them come together; here one comes alone, and
 * one that is there already comes at once.
 *
 * @param load Asked again after a failure, which the boundary around shows.
 * @param waiting Stands there meanwhile. Default: nothing.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: ReactNode = null,
): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [failed, setFailed] = useState<{ error: unknown } | undefined>();
    const [, setIsThere] = useState(known !== undefined);
    useEffect(() => {
      // It may have come since this was drawn, for another place that shows it.
      if (known) {
        setIsThere(true);
        return undefined;
      }
      let isShown = true;
      load().then(
        (it) => {
          known = it;
          if (isShown) setIsThere(true);
        },
        (error: unknown) => {
          if (isShown) setFailed({ error });
        },
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (failed) throw failed.error;
    const It = known;
    return It ? <It {...props} /> : waiting;
  };
}
