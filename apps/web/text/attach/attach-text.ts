import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deAttach } from './de-attach.ts';
import { enAttach, type AttachText } from './en-attach.ts';

const CATALOGUE: Record<Language, AttachText> = { en: enAttach, de: deAttach };

export function useAttachText(): AttachText {
  return CATALOGUE[useStore(preferences).language];
}
