import { preferences, type Language } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { deAgents } from './de-agents.ts';
import { enAgents, type AgentsText } from './en-agents.ts';

const CATALOGUE: Record<Language, AgentsText> = { en: enAgents, de: deAgents };

export function useAgentsText(): AgentsText {
  return CATALOGUE[useStore(preferences).language];
}
