export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/**
 * Removes the modifiers of AltGr characters (`@`, `[` on a German keyboard). Some systems report AltGr as Alt, others
 * as Ctrl and Alt together.
 */
function toPlainSign(press: Press): Press {
  const isSign = press.key.length === 1 && !/[a-z0-9\s]/i.test(press.key);
  return isSign && press.altKey ? { ...press, altKey: false, ctrlKey: false } : press;
}

/** The notation of one press: `mod+k`, `G`, `shift+Delete`. Shift is named only for keys without a character. */
export function toWord(press: Press): string {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = toPlainSign(press);
  const isNamed = key.length > 1;
  return [(ctrlKey || metaKey) && 'mod', altKey && 'alt', shiftKey && isNamed && 'shift', key]
    .filter(Boolean)
    .join('+');
}

/** The result of matching a sequence of presses. `prefix`: the beginning of a longer sequence. */
export type Match<T> = { kind: 'complete'; found: T } | { kind: 'prefix' } | { kind: 'none' };

/** Finds the entry for a sequence of presses, such as `['g', 'u']` for `g u`. */
export function matchKeys<T extends { keys?: string }>(presses: readonly string[], all: readonly T[]): Match<T> {
  const typed = presses.join(' ');
  const found = all.find(({ keys }) => keys === typed);
  if (found) return { kind: 'complete', found };
  return all.some(({ keys }) => keys?.startsWith(`${typed} `)) ? { kind: 'prefix' } : { kind: 'none' };
}

/** True for Alt-Q. With Alt, a Mac reports the character of the key that is printed with Q. */
export function isNextQuestion(press: Press & { code: string }): boolean {
  const { key, code, altKey, ctrlKey, metaKey } = press;
  if (!altKey || ctrlKey || metaKey) return false;
  return key.toLowerCase() === 'q' || (code === 'KeyQ' && !/^[a-z@]$/i.test(key));
}

/** True for Alt with a letter that is entered as such: with AltGr and on a Mac, the key is another character. */
export function isAltLetter({ key, altKey, ctrlKey, metaKey }: Press): boolean {
  return altKey && !ctrlKey && !metaKey && /^[a-z]$/i.test(key);
}

/** Inputs without a text: a letter does nothing in them. */
const CHOICES = ['checkbox', 'radio', 'range', 'button', 'submit', 'color', 'file'];

/** True if a letter would be entered at, or would choose something in, the target of a press. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !CHOICES.includes(target.type);
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** True for a press that is a single character. WCAG 2.1.4 requires that such shortcuts can be turned off. */
export function isCharacter(press: Press): boolean {
  const { key, ctrlKey, metaKey, altKey } = toPlainSign(press);
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** True for shortcuts that contain a single character: `n`, `g u`, but not `mod+k` or `shift+Delete`. */
export function hasCharacter(keys: string): boolean {
  return keys.split(' ').some((press) => press.length === 1);
}

const NAMES: Record<string, string> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', ' ': 'Space', ArrowUp: '↑' };
const APPLE: Record<string, string> = { ...NAMES, mod: '⌘', shift: '⇧', alt: '⌥' };

/** A shortcut in the notation for users, such as `Ctrl-K` or `⌘K`. */
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
