import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { deBoard } from './de-board.ts';
import { enBoard, type BoardText } from './en-board.ts';

const CATALOGUE: Record<Language, BoardText> = { en: enBoard, de: deBoard };

export function useBoardText(): BoardText {
  return CATALOGUE[useStore(preferences).language];
}
