import type { GuardAlert } from '../guard-log/guard-states.ts';
import type { AttentionItem, AttentionList } from '@klaus/core/agent';

/** A session that needs the user. `blocked`: the server cannot run it. */
export interface ClientAttentionItem extends Omit<AttentionItem, 'kind'> {
  kind: AttentionItem['kind'] | 'blocked';
}

export interface ClientAttention extends Omit<AttentionList, 'items'> {
  /** The oldest first. */
  items: readonly ClientAttentionItem[];
  /** What concerns no session: the guard of Claude Code is off, or a session of it ran without the guard. */
  alerts: readonly GuardAlert[];
}

/** What needs the user, over all sessions. */
export interface AttentionClient {
  /** @param options.limit Maximum number of items. */
  attention(options?: { limit?: number }): Promise<ClientAttention>;
  /** Calls `listener` soon after each change, and first with the present list. Returns a function that ends this. */
  followAttention(listener: (list: ClientAttention) => void): () => void;
  /** Records that this user interface showed a session up to an event. A server of an older version ignores it. */
  markSeen(session: string, seq: number): Promise<void>;
  /**
   * Decides which user interface notifies the user: true for the first one on the machine.
   *
   * @param item Id of an item: that of an approval, or `SESSION:SEQ` of the end of a run.
   */
  claimNotification(item: string): Promise<boolean>;
}
