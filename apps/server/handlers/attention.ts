import type { AttentionListView } from '../contract/index.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { toAttention } from '../streams/attention-view.ts';

export const attentionHandlers = {
  attention: ({ query }, context) => listAttention(context, query.limit),

  async claimNotification({ body }, context) {
    const isSeen = context.seen.isComplete || listAttention(context).items.some(({ id }) => id === body.item);
    return { claimed: isSeen && (await context.klaus.store.claimNotification(body.item)) };
  },

  async moveQueued({ params, body }, { klaus, queue }) {
    const { id: session } = await klaus.session(params.id);
    queue.move(session, body.position);
    return { session, position: queue.positionOf(session) ?? null };
  },

  async markSeen({ params, body }, { klaus }) {
    const { id: session } = await klaus.session(params.id);
    const last = klaus.store.view.head(session)?.seq ?? 0;
    const seq = Math.min(body.seq ?? last, last);
    await klaus.store.markSeen({ session, seq });
    return { session, seq };
  },
} satisfies PartialHandlers;

function listAttention({ klaus, queue, seen, deletions }: Context, limit?: number): AttentionListView {
  return toAttention({ klaus, queue, undoUntil: (session) => deletions.undoUntil(session) }, { seen, limit });
}
