import { readStored, writeStored } from './storage.ts';
import { createStore } from './store.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  theme: Theme;
  language: Language;
  /** Notify about questions while the page is in the background. */
  notify: boolean;
  split: boolean;
  /** Single-key shortcuts are enabled. */
  letterKeys: boolean;
}

const KEY = 'klaus.preferences';

function read(): Preferences {
  const language = navigator.language.startsWith('de') ? 'de' : 'en';
  const chosen: Preferences = { theme: 'system', language, notify: false, split: false, letterKeys: true };
  const stored = (readStored(KEY) ?? {}) as Partial<Preferences>;
  if (THEMES.includes(stored.theme as Theme)) chosen.theme = stored.theme as Theme;
  if (LANGUAGES.includes(stored.language as Language)) chosen.language = stored.language as Language;
  for (const name of ['notify', 'split', 'letterKeys'] as const) {
    if (typeof stored[name] === 'boolean') chosen[name] = stored[name];
  }
  return chosen;
}

export const preferences = createStore(read());

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
}

/** Applies the preferences to the root element and stores them, now and after every change. */
export function applyPreferences(root: HTMLElement): void {
  const apply = () => {
    const chosen = preferences.get();
    root.lang = chosen.language;
    if (chosen.theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = chosen.theme;
    writeStored(KEY, chosen);
  };
  apply();
  preferences.subscribe(apply);
}
