import { optional } from '@klaus/sdk/optional';
import { KlausError } from '@klaus/sdk';
import { toFrame } from '../streams/event-stream.ts';
import type { Handlers } from '../http/handler.ts';
import { sendNeededPrompt } from '../runs/send-prompt.ts';
import { followNamed } from '../legacy/follow-legacy-events.ts';
import { findRow } from './sessions.ts';

export const promptHandlers: Handlers<'prompt'> = {
  async prompt({ body }, context, exchange) {
    const { klaus, places, queue } = context;
    const { message, sessionId, model, workspace } = body;
    if (sessionId !== undefined && workspace !== undefined) {
      throw new KlausError('usage', 'A session has its workspace already.', { hint: 'Leave out one of the two.' });
    }
    const session =
      sessionId === undefined
        ? await klaus.open(
            optional({ model, workspace: workspace === undefined ? undefined : places.check(workspace) }),
          )
        : klaus.handle((await findRow(context, sessionId)).id);
    if (sessionId !== undefined && model !== undefined) await session.send({ type: 'change', model });
    const after = (await klaus.store.head(session.id))?.seq ?? 0;
    await sendNeededPrompt(klaus, session, { text: message, delivery: 'queue' });

    const stream = exchange.openStream();
    const followed = followNamed(context, {
      session: session.id,
      after,
      isPrompting: true,
      tell({ name, data, isEnd, run }) {
        stream.write(toFrame(name, JSON.stringify(data)));
        // While another run is under way this prompt waits, and its own is the one that is told to the end.
        if (isEnd && (run === undefined || run !== followed.lastRun)) stream.end();
      },
    });
    stream.onClose(followed.stop);
    context.hubs.keep(stream);
    queue.add(session.id);
  },
};
