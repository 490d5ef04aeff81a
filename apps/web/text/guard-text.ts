import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { deGuard } from './de-guard.ts';
import { enGuard, type GuardText } from './en-guard.ts';

const CATALOGUE: Record<Language, GuardText> = { en: enGuard, de: deGuard };

export function useGuardText(): GuardText {
  return CATALOGUE[useStore(preferences).language];
}
