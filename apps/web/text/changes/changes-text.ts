import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deChanges } from './de-changes.ts';
import { enChanges, type ChangesText } from './en-changes.ts';

const CATALOGUE: Record<Language, ChangesText> = { en: enChanges, de: deChanges };

export function useChangesText(): ChangesText {
  return CATALOGUE[useStore(preferences).language];
}
