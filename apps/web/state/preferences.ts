import { readStored, writeStored } from './storage.ts';
import { createStore } from './store.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

export const ACCENTS = ['iris', 'pine', 'ember', 'plum'] as const;
export type Accent = (typeof ACCENTS)[number];

/** Width of the sidebar in pixels. */
export const SIDEBAR = { min: 260, start: 288, max: 320 };

export interface Preferences {
  /** `contrast` is the theme of the system with a higher contrast. */
  theme: Theme;
  accent: Accent;
  language: Language;
  /** Notify about questions while the page is in the background. */
  notify: boolean;
  /** Play a tone with it, and while the page is in front. */
  sound: boolean;
  split: boolean;
  /** Changes are shown without differences of whitespace. */
  ignoresSpace: boolean;
  /** Names of models, in the order in which they were added. */
  favourites: readonly string[];
  /** Single-key shortcuts are enabled. */
  letterKeys: boolean;
  /** Shortcuts that differ from the default ones, by the default one. Empty: none. */
  keys: Readonly<Record<string, string>>;
  /** Pixels, as in {@link SIDEBAR}. */
  sidebarWidth: number;
  /** Only where the sidebar is beside the content. */
  isSidebarHidden: boolean;
}

const DEFAULTS = {
  ...{ theme: 'system', accent: 'iris', notify: false, sound: false, split: false, ignoresSpace: false },
  ...{ letterKeys: true, keys: {}, favourites: [] },
  ...{ sidebarWidth: SIDEBAR.start, isSidebarHidden: false },
} satisfies Partial<Preferences>;

const MAX_FAVOURITES = 50;

const KEY = 'klaus.preferences';

function read(): Preferences {
  const language = navigator.language.startsWith('de') ? 'de' : 'en';
  const chosen: Preferences = { ...DEFAULTS, language };
  const stored = (readStored(KEY) ?? {}) as Partial<Preferences>;
  if (THEMES.includes(stored.theme as Theme)) chosen.theme = stored.theme as Theme;
  if (ACCENTS.includes(stored.accent as Accent)) chosen.accent = stored.accent as Accent;
  if (LANGUAGES.includes(stored.language as Language)) chosen.language = stored.language as Language;
  for (const name of ['notify', 'sound', 'split', 'ignoresSpace', 'letterKeys', 'isSidebarHidden'] as const) {
    if (typeof stored[name] === 'boolean') chosen[name] = stored[name];
  }
  const keys = Object.entries(stored.keys ?? {}).filter(([, value]) => typeof value === 'string');
  chosen.keys = Object.fromEntries(keys);
  if (Array.isArray(stored.favourites))
    chosen.favourites = stored.favourites.filter((name) => typeof name === 'string').slice(0, MAX_FAVOURITES);
  const width = Number(stored.sidebarWidth);
  if (width >= SIDEBAR.min && width <= SIDEBAR.max) chosen.sidebarWidth = width;
  return chosen;
}

export const preferences = createStore(read());

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
}

/** Applies the preferences to the root element and stores them, now and after every change. */
export function applyPreferences(root: HTMLElement): void {
  const system = matchMedia('(prefers-contrast: more)');
  const apply = () => {
    const { theme, accent, language, sidebarWidth, isSidebarHidden } = preferences.get();
    root.lang = language;
    root.dataset['theme'] = theme;
    root.dataset['accent'] = accent;
    root.dataset['sidebar'] = isSidebarHidden ? 'hidden' : 'shown';
    root.style.setProperty('--sidebar', `${sidebarWidth}px`);
    root.dataset['contrast'] = theme === 'contrast' || (theme === 'system' && system.matches) ? 'more' : 'normal';
    writeStored(KEY, preferences.get());
  };
  apply();
  preferences.subscribe(apply);
  system.addEventListener('change', apply);
}
