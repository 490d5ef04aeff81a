import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deLists } from './de-lists.ts';
import { enLists, type ListsText } from './en-lists.ts';

const CATALOGUE: Record<Language, ListsText> = { en: enLists, de: deLists };

export function useListsText(): ListsText {
  return CATALOGUE[useStore(preferences).language];
}

/** The same outside of components. */
export function listsText(): ListsText {
  return CATALOGUE[preferences.get().language];
}
