import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { de } from './de.ts';
import { en, type Text } from './en.ts';

/** Every language of the page. */
const CATALOGUE: Record<Language, Text> = { en, de };

/** The words in the language that was chosen, for what is no component. */
export function text(): Text {
  return CATALOGUE[preferences.get().language];
}

/** The words in the language that was chosen. */
export function useText(): Text {
  return CATALOGUE[useStore(preferences).language];
}
