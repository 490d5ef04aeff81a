import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deSettings } from './de-settings.ts';
import { enSettings, type SettingsText } from './en-settings.ts';

const CATALOGUE: Record<Language, SettingsText> = { en: enSettings, de: deSettings };

export function useSettingsText(): SettingsText {
  return CATALOGUE[useStore(preferences).language];
}
