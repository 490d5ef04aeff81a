import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { de } from './de.ts';
import { en, type Text } from './en.ts';

const CATALOGUE: Record<Language, Text> = { en, de };

/** The texts in the user's language, outside of components. */
export function text(): Text {
  return CATALOGUE[preferences.get().language];
}

export function useText(): Text {
  return CATALOGUE[useStore(preferences).language];
}
