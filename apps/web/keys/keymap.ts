/** What is read of a key press. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/**
 * A sign that takes a third level of the keyboard (`@`, `[` in Germany) is that sign: some systems tell it as Alt, some
 * as Ctrl and Alt together.
 */
function toPlainSign(press: Press): Press {
  const isSign = press.key.length === 1 && !/[a-z0-9\s]/i.test(press.key);
  return isSign && press.altKey ? { ...press, altKey: false, ctrlKey: false } : press;
}

/** One press as a word: `mod+k`, `G`, `shift+Delete`. Shift is part of what a character is, and told for named keys. */
export function toWord(press: Press): string {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = toPlainSign(press);
  const isNamed = key.length > 1;
  return [(ctrlKey || metaKey) && 'mod', altKey && 'alt', shiftKey && isNamed && 'shift', key]
    .filter(Boolean)
    .join('+');
}

/** What the presses so far come to. `part`: the beginning of something. */
export type Match<T> = { kind: 'whole'; found: T } | { kind: 'part' } | { kind: 'none' };

/** Finds what a sequence of presses means: `['g', 'u']` for `g u`. */
export function matchKeys<T extends { keys?: string }>(presses: readonly string[], all: readonly T[]): Match<T> {
  const typed = presses.join(' ');
  const found = all.find(({ keys }) => keys === typed);
  if (found) return { kind: 'whole', found };
  return all.some(({ keys }) => keys?.startsWith(`${typed} `)) ? { kind: 'part' } : { kind: 'none' };
}

/** True where a key writes a character and means nothing else. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** True for a press that alone is a character: what WCAG 2.1.4 wants to be able to switch off. */
export function isCharacter(press: Press): boolean {
  const { key, ctrlKey, metaKey, altKey } = toPlainSign(press);
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** True for keys that work only while characters do: `n`, `g u`, but not `mod+k` or `shift+Delete`. */
export function hasCharacter(keys: string): boolean {
  return keys.split(' ').some((press) => press.length === 1);
}

const NAMES: Record<string, string> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', ' ': 'Space', ArrowUp: '↑' };
const APPLE: Record<string, string> = { ...NAMES, mod: '⌘', shift: '⇧', alt: '⌥' };

/** Keys as a person reads them. */
export function showKeys(keys: string, isApple: boolean): string {
  const names = isApple ? APPLE : NAMES;
  return keys
    .split(' ')
    .map((press) =>
      (press === '+' ? ['+'] : press.split('+'))
        .map((word) => names[word] ?? (press.includes('+') && word.length === 1 ? word.toUpperCase() : word))
        .join(isApple ? '' : '-'),
    )
    .join(' ');
}
