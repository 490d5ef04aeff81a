import { preferences, type Language } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { deRender } from './de-render.ts';
import { enRender, type RenderText } from './en-render.ts';

const CATALOGUE: Record<Language, RenderText> = { en: enRender, de: deRender };

export function useRenderText(): RenderText {
  return CATALOGUE[useStore(preferences).language];
}

export type { RenderText };
