import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deChanges } from './de-changes.ts';
import { enChanges, type ChangesText } from './en-changes.ts';

const CATALOGUE: Record<Language, ChangesText> = { en: enChanges, de: deChanges };

/** The texts outside of components. */
export function changesText(): ChangesText {
  return CATALOGUE[preferences.get().language];
}

export function useChangesText(): ChangesText {
  return CATALOGUE[useStore(preferences).language];
}
