import type { Event, Live } from '@klaus/sdk';
import { isLocal } from '../doorkeeper.ts';
import type { Context, Handlers } from '../handler.ts';
import { Refusal } from '../problem.ts';
import { findRow } from './sessions.ts';

export const liveHandlers: Handlers<'live'> = {
  live({ params, body }, context, { request }) {
    if (!isLocal(request)) {
      throw new Refusal(403, 'forbidden', {
        title: 'Text on its way is taken by the Unix socket alone.',
        detail: 'It comes from programs of the user that the server belongs to.',
      });
    }
    const { id } = findRow(context, params.id);
    if (!isHeldBy(context, id, body.fence)) return { taken: false };
    const said = [...context.klaus.session(id).events(body.seq)];
    for (const piece of body.pieces) {
      if (piece.session === id && !isSaid(said, piece)) context.klaus.store.emitLive(piece);
    }
    return { taken: true };
  },
};

/** True while another process has the session, and nobody took it since that claim. */
function isHeldBy({ klaus, queue }: Context, session: string, fence: number): boolean {
  return !queue.isRunning(session) && klaus.store.fenceOf(session) === fence && klaus.store.isClaimed(session);
}

/** True where the log says it already, or says that it came to nothing: shown now, nothing would take it away again. */
function isSaid(events: readonly Event[], piece: Live): boolean {
  return events.some((event) => {
    if (event.type === 'run.finished') return true;
    if (piece.type === 'tool.progress') return event.type === 'tool.finished' && event.call === piece.call;
    return event.type === 'turn.finished' || event.type === 'model.attempted';
  });
}
