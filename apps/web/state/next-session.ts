import { createStore } from './store.ts';

/** What another page chose for the next new session. The form takes it once. */
export const nextSession = createStore<{ agent?: string; workspace?: string } | undefined>(undefined);

export function takeNextSession(): { agent?: string; workspace?: string } {
  const chosen = nextSession.get() ?? {};
  nextSession.set(undefined);
  return chosen;
}
