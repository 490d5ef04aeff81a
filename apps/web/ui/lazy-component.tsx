import { useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A component whose code is loaded when it is first shown, or earlier by calling `load`. React's `lazy` delays content
 * that suspended by 300 ms; this component shows it as soon as it is loaded, and without a delay if it was loaded before.
 *
 * @param load Called again after a failure, which the surrounding error boundary shows.
 * @param fallback Shown while the code is loaded. Default: nothing.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ReactNode = null,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyComponent(props: P) {
    const [failed, setFailed] = useState<{ error: unknown } | undefined>();
    const [, setLoaded] = useState(loaded !== undefined);
    useEffect(() => {
      // Another instance may have loaded it since this one was rendered.
      if (loaded) {
        setLoaded(true);
        return undefined;
      }
      let isShown = true;
      load().then(
        (it) => {
          loaded = it;
          if (isShown) setLoaded(true);
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
    const It = loaded;
    return It ? <It {...props} /> : fallback;
  };
}
