/** What is read of a key press. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** One press as a word: `mod+k`, `G`, `shift+Delete`. Shift is part of what a character is, and told for named keys. */
export function toWord({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
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

const NAMES: Record<string, string> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', ' ': 'Space' };
const APPLE: Record<string, string> = { ...NAMES, mod: '⌘', shift: '⇧', alt: '⌥' };

/** Keys as a person reads them. */
export function showKeys(keys: string, isApple: boolean): string {
  const names = isApple ? APPLE : NAMES;
  return keys
    .split(' ')
    .map((press) =>
      press
        .split('+')
        .map((word) => names[word] ?? (press.includes('+') && word.length === 1 ? word.toUpperCase() : word))
        .join(isApple ? '' : '-'),
    )
    .join(' ');
}
