import { boundKeys } from './bindings.ts';
import { showKeys } from './keymap.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A shortcut. @param props.isFixed False: the user may have changed this default one. Default false. */
export function Keys({ keys, isFixed = false }: { keys: string; isFixed?: boolean }) {
  const bound = isFixed ? keys : boundKeys(keys);
  return bound === undefined ? null : <kbd>{showKeys(bound, isApple)}</kbd>;
}

/** The shortcut that is in use for a default one as text; undefined if the user removed it. */
export function toKeysText(keys: string): string | undefined {
  const bound = boundKeys(keys);
  return bound && showKeys(bound, isApple);
}
