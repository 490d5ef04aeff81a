import { showKeys } from './keymap.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Keys as they stand on the keyboard. */
export function Keys({ keys }: { keys: string }) {
  return <kbd>{showKeys(keys, isApple)}</kbd>;
}

/** The same as text, for a title. */
export function toKeysText(keys: string): string {
  return showKeys(keys, isApple);
}
