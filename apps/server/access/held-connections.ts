import type { Identity } from './identity.ts';

export type HeldConnections = ReturnType<typeof createHeldConnections>;

/** The streams and sockets of sign-ins that end: they must not outlive them. */
export function createHeldConnections() {
  const held = new Map<string, Set<() => void>>();
  return {
    /**
     * Calls `close` when the sign-in expires or is ended.
     *
     * @returns The function that forgets the connection.
     */
    hold({ session }: Identity, close: () => void): () => void {
      if (session === undefined) return () => {};
      const all = held.get(session.id) ?? new Set();
      held.set(session.id, all.add(close));
      const timer = setTimeout(close, Math.max(0, session.until - Date.now())).unref();
      return () => {
        clearTimeout(timer);
        all.delete(close);
        if (all.size === 0 && held.get(session.id) === all) held.delete(session.id);
      };
    },
    /** Closes the connections of a sign-in. */
    end({ session }: Identity): void {
      for (const close of held.get(session?.id ?? '') ?? []) close();
    },
  };
}
