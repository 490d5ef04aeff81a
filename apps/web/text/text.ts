import { preferences, type Language } from '../state/preferences.ts';
import { createStore, useStore } from '../state/store.ts';
import { en, type Text } from './en.ts';

/** English comes with the page; the other languages are loaded when they are chosen. */
const CATALOGUES: Record<Language, () => Text | Promise<Text>> = {
  en: () => en,
  de: async () => (await import('./de.ts')).de,
};

const shown = createStore<Text>(en);

/** The texts in the user's language, outside of components. */
export function text(): Text {
  return shown.get();
}

export function useText(): Text {
  return useStore(shown);
}

/** Resolves when the texts of the chosen language are loaded, and follows the choice. Without them, texts are English. */
export async function followLanguage(): Promise<void> {
  const load = async () => {
    const { language } = preferences.get();
    const texts = await Promise.resolve(CATALOGUES[language]()).catch(() => en);
    // The user may have chosen another language in the meantime.
    if (preferences.get().language === language) shown.set(texts);
  };
  preferences.subscribe(() => void load());
  await load();
}
