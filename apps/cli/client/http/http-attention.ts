import type { AttentionClient } from '@klaus/sdk/client';
import { optional } from '@klaus/sdk/optional';
import { followHost, isProblemError } from '@klaus/server/client';
import type { ConnectedServer } from './connect-server.ts';

/** What needs the user on a server. */
export function createHttpAttention({ client, ask }: ConnectedServer): AttentionClient {
  return {
    attention: ({ limit } = {}) => ask(client.attention({ query: optional({ limit }) })),
    followAttention(listener) {
      const end = new AbortController();
      const ignore = (): void => {};
      const on = { onSnapshot: ignore, onSession: ignore, onRemoved: ignore, onAttention: listener };
      void followHost(client, { ...on, signal: end.signal });
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
