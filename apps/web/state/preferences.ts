import { createStore } from './store.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What a person chose in this browser. */
export interface Preferences {
  theme: Theme;
  language: Language;
  /** Tell of questions while another tab is in front. */
  notify: boolean;
  /** Diffs side by side. */
  split: boolean;
  /** Keys that are a single character do something. Off for those who speak to their machine, or type by accident. */
  letterKeys: boolean;
}

const KEY = 'klaus.preferences';

function read(): Preferences {
  const language = navigator.language.startsWith('de') ? 'de' : 'en';
  const chosen: Preferences = { theme: 'system', language, notify: false, split: false, letterKeys: true };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
    if (THEMES.includes(kept.theme as Theme)) chosen.theme = kept.theme as Theme;
    if (LANGUAGES.includes(kept.language as Language)) chosen.language = kept.language as Language;
    if (typeof kept.notify === 'boolean') chosen.notify = kept.notify;
    if (typeof kept.split === 'boolean') chosen.split = kept.split;
    if (typeof kept.letterKeys === 'boolean') chosen.letterKeys = kept.letterKeys;
  } catch {
    // A browser that keeps nothing, or something else under this name: begin with the defaults.
  }
  return chosen;
}

export const preferences = createStore(read());

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
}

/** Keeps the page's root and the browser's memory in step with the choices. */
export function applyPreferences(root: HTMLElement): void {
  const apply = () => {
    const chosen = preferences.get();
    root.lang = chosen.language;
    if (chosen.theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = chosen.theme;
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch {
      // Not kept: the choice holds until the page is closed.
    }
  };
  apply();
  preferences.subscribe(apply);
}
