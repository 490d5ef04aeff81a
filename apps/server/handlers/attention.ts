import type { PartialHandlers } from '../http/handler.ts';
import { toAttention } from '../streams/attention-view.ts';

export const attentionHandlers = {
  attention: ({ query }, { klaus, queue, deletions }) =>
    toAttention({ klaus, queue, undoUntil: (session) => deletions.undoUntil(session) }, query.limit),

  claimNotification: async ({ body }, { klaus }) => ({ claimed: await klaus.store.claimNotification(body.item) }),

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
