import { isReplaced, type Event, type Live } from '@klaus/sdk';
import { isLocal } from '../access/request-guard.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findSession } from './sessions.ts';

export const liveHandlers = {
  async live({ params, body }, context, { request }) {
    if (!isLocal(request)) {
      throw new Refusal(403, 'forbidden', {
        title: 'In-flight text is accepted only over the Unix socket.',
        detail: 'Only programs of the user who runs the server may send it.',
      });
    }
    const { id } = await findSession(context, params.id);
    if (!(await isHeldBy(context, id, body.fence))) return { taken: false };
    const later = (await Array.fromAsync(context.klaus.store.read(id, body.seq))).flat();
    for (const piece of body.pieces) {
      if (piece.session === id && !isSuperseded(later, piece)) context.klaus.store.emitLive(piece);
    }
    return { taken: true };
  },
} satisfies PartialHandlers;

/** Milliseconds for which a checked claim is cached: checking the lock takes some of them. */
const CACHE_MS = 1_000;
const checked = new WeakMap<Context, Map<string, { fence: number; at: number }>>();

/** True while another process holds the session under the claim with this fence. */
async function isHeldBy(context: Context, session: string, fence: number): Promise<boolean> {
  const { klaus, queue } = context;
  if (queue.isRunning(session) || (await klaus.store.fenceOf(session)) !== fence) return false;
  let claims = checked.get(context);
  if (!claims) checked.set(context, (claims = new Map()));
  const last = claims.get(session);
  if (last?.fence === fence && Date.now() - last.at < CACHE_MS) return true;
  claims.delete(session);
  if (!(await klaus.store.isClaimed(session))) return false;
  claims.set(session, { fence, at: Date.now() });
  return true;
}

/** True if the log holds the text or its discard already: no later event would remove the piece from the display. */
function isSuperseded(events: readonly Event[], piece: Live): boolean {
  return events.some((event) => {
    if (event.type === 'run.finished') return true;
    if (piece.type === 'tool.progress') return isReplaced(piece, event);
    return event.type === 'turn.finished' || event.type === 'model.attempted';
  });
}
