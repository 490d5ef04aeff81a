import type { Event, Live } from '@klaus/sdk';
import { isLocal } from '../access/request-guard.ts';
import type { Context, Handlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findRow } from './sessions.ts';

export const liveHandlers: Handlers<'live'> = {
  async live({ params, body }, context, { request }) {
    if (!isLocal(request)) {
      throw new Refusal(403, 'forbidden', {
        title: 'Text on its way is taken by the Unix socket alone.',
        detail: 'It comes from programs of the user that the server belongs to.',
      });
    }
    const { id } = await findRow(context, params.id);
    if (!(await isHeldBy(context, id, body.fence))) return { taken: false };
    const said = [...context.klaus.store.view.events(id, body.seq)];
    for (const piece of body.pieces) {
      if (piece.session === id && !isSaid(said, piece)) context.klaus.store.emitLive(piece);
    }
    return { taken: true };
  },
};

/** Milliseconds for which a claim that was seen counts: to look for a lock that is held takes some of them. */
const SEEN_MS = 1_000;
const seen = new WeakMap<Context, Map<string, { fence: number; at: number }>>();

/** True while another process has the session, and nobody took it since that claim. */
async function isHeldBy(context: Context, session: string, fence: number): Promise<boolean> {
  const { klaus, queue } = context;
  if (queue.isRunning(session) || (await klaus.store.fenceOf(session)) !== fence) return false;
  let claims = seen.get(context);
  if (!claims) seen.set(context, (claims = new Map()));
  const last = claims.get(session);
  if (last?.fence === fence && Date.now() - last.at < SEEN_MS) return true;
  claims.delete(session);
  if (!(await klaus.store.isClaimed(session))) return false;
  claims.set(session, { fence, at: Date.now() });
  return true;
}

/** True where the log says it already, or says that it came to nothing: shown now, nothing would take it away again. */
function isSaid(events: readonly Event[], piece: Live): boolean {
  return events.some((event) => {
    if (event.type === 'run.finished') return true;
    if (piece.type === 'tool.progress') return event.type === 'tool.finished' && event.call === piece.call;
    return event.type === 'turn.finished' || event.type === 'model.attempted';
  });
}
