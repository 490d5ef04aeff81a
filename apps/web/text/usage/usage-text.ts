import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deUsage } from './de-usage.ts';
import { enUsage, type UsageText } from './en-usage.ts';

const CATALOGUE: Record<Language, UsageText> = { en: enUsage, de: deUsage };

export function useUsageText(): UsageText {
  return CATALOGUE[useStore(preferences).language];
}
