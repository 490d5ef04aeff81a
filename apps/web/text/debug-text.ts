import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { deDebug } from './de-debug.ts';
import { enDebug, type DebugText } from './en-debug.ts';

const CATALOGUE: Record<Language, DebugText> = { en: enDebug, de: deDebug };

export function useDebugText(): DebugText {
  return CATALOGUE[useStore(preferences).language];
}
