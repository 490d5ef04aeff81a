import { KlausError } from '@klaus/sdk';
import { toFrame } from '../event-stream.ts';
import type { Handlers } from '../handler.ts';
import { createNamedEvents, type NamedEvent } from '../named-events.ts';
import { given, sendNeededPrompt } from '../prompting.ts';
import { onProblem } from '../session-problems.ts';
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
        ? await klaus.open(given({ model, workspace: workspace === undefined ? undefined : places.check(workspace) }))
        : klaus.session(findRow(context, sessionId).id);
    if (sessionId !== undefined && model !== undefined) await session.send({ type: 'change', model });
    const after = klaus.store.head(session.id)?.seq ?? 0;
    await sendNeededPrompt(klaus, session, { text: message, delivery: 'queue' });

    const stream = exchange.openStream();
    const named = createNamedEvents(session.id);
    let mine: string | undefined;
    const tell = (events: readonly NamedEvent[]): void => {
      for (const { name, data } of events) stream.write(toFrame(name, JSON.stringify(data)));
    };
    const stops = [
      session.subscribe(after, (event) => {
        // While another run is under way this prompt waits, and its own is the one that is told to the end.
        if (event.type === 'run.started') mine = event.run;
        tell(named.event(event));
        if (event.type === 'run.finished' && event.run === mine) stream.end();
      }),
      session.onLive((live) => tell(named.live(live))),
      onProblem(context, session.id, (event) => {
        tell([event]);
        stream.end();
      }),
    ];
    // Another run may be under way: what it said before is told after what the log says of it.
    queueMicrotask(() => context.live.of(session.id).forEach((live) => tell(named.live(live))));
    stream.onClose(() => {
      for (const stop of stops) stop();
    });
    context.hubs.keep(stream);
    queue.add(session.id);
  },
};
