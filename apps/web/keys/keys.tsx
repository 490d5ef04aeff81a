import { showKeys } from './keymap.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Keys({ keys }: { keys: string }) {
  return <kbd>{showKeys(keys, isApple)}</kbd>;
}

/** A keyboard shortcut as text, for a tooltip. */
export function toKeysText(keys: string): string {
  return showKeys(keys, isApple);
}
