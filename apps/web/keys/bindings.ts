import { preferences } from '../state/preferences.ts';

/** Shortcuts that the user changed, by the default one. An empty one: the command has no shortcut. */
export type Bindings = Readonly<Record<string, string>>;

/** The shortcut that is in use instead of a default one; undefined if the user removed it. */
export function boundKeys(keys: string, bindings: Bindings = preferences.get().keys): string | undefined {
  return (Object.hasOwn(bindings, keys) ? bindings[keys] : keys) || undefined;
}

/** Keys that browsers, fields and dialogs need. */
const RESERVED =
  /^(?:(?:shift\+)?(?:Tab|Enter|Escape| )|Backspace|Delete|Arrow\w+|mod\+(?:[acnqrtvwxz0-9]|shift\+.*)|(?:Home|End|PageUp|PageDown|F\d+))$/;

export function isReserved(keys: string): boolean {
  return keys.split(' ').some((press) => RESERVED.test(press));
}

/**
 * The first entry whose shortcut cannot be used together with another one: they are the same, or one begins the other.
 *
 * @param all Entries with their default shortcuts.
 * @param options.of The default shortcut of the command that gets the new one.
 */
export function findConflict<T extends { keys?: string }>(
  all: readonly T[],
  { of, keys, bindings }: { of: string; keys: string; bindings: Bindings },
): T | undefined {
  return all.find((entry) => {
    if (entry.keys === undefined || entry.keys === of) return false;
    const other = boundKeys(entry.keys, bindings);
    if (other === undefined) return false;
    return other === keys || other.startsWith(`${keys} `) || keys.startsWith(`${other} `);
  });
}
