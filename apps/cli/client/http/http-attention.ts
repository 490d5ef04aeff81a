import type { AttentionClient } from '@klaus/sdk/client';
import { followHost, isProblemError } from '@klaus/server/client';
import type { AttentionListView } from '@klaus/server/contract';
import type { ConnectedServer } from './connect-server.ts';

/** What needs the user on a server. */
export function createHttpAttention({ client, ask }: ConnectedServer): AttentionClient {
  return {
    attention: async ({ limit } = {}) => withAlerts(await ask(client.attention({ query: { limit } }))),
    followAttention(listener) {
      const end = new AbortController();
      const ignore = (): void => {};
      const on = { onSnapshot: ignore, onSession: ignore, onRemoved: ignore };
      void followHost(client, { ...on, onAttention: (list) => listener(withAlerts(list)), signal: end.signal });
      return () => end.abort();
    },
    async markSeen(session, seq) {
      try {
        await client.markSeen({ params: { id: session }, body: { seq } });
      } catch (error) {
        if (!isProblemError(error) || error.problem.status !== 404) throw error;
      }
    },
    claimNotification: async (item) => (await ask(client.claimNotification({ body: { item } }))).claimed,
  };
}

/** A server of an older version sends no alerts. */
function withAlerts(list: Omit<AttentionListView, 'alerts'> & Partial<AttentionListView>): AttentionListView {
  return { ...list, alerts: list.alerts ?? [] };
}
