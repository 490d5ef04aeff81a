import { KlausError } from '@klaus/sdk';
import { toFolder } from '../access/limit-context.ts';
import { isPublicOnly } from '../access/check-network.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import { toFrame } from '../streams/event-stream.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { sendRequiredPrompt } from '../runs/send-prompt.ts';
import { followLegacyEvents, readLegacyEvents } from '../legacy/follow-legacy-events.ts';
import { findSession } from './sessions.ts';

export const promptHandlers = {
  async prompt({ body }, context, exchange) {
    const { klaus, queue } = context;
    const { message, sessionId, model, workspace } = body;
    if (sessionId !== undefined && workspace !== undefined) {
      throw new KlausError('usage', 'The workspace of a session cannot be changed.', {
        hint: 'Leave out `sessionId` or `workspace`.',
      });
    }
    const session =
      sessionId === undefined
        ? await klaus.open({
            model,
            workspace: toFolder(context, workspace),
            publicOnly: isPublicOnly(exchange.identity!),
          })
        : klaus.handle((await findSession(context, sessionId)).id);
    await checkSandbox(context, exchange.identity!, session.id);
    if (sessionId !== undefined && model !== undefined) await session.send({ type: 'change', model });
    const after = (await klaus.store.head(session.id))?.seq ?? 0;
    const legacy = await readLegacyEvents(klaus, { session: session.id, after, isPrompting: true });
    await sendRequiredPrompt(klaus, session, { text: message, delivery: 'queue' });

    const stream = exchange.openStream();
    const stop = followLegacyEvents(context, {
      legacy,
      onEvent({ name, data, isEnd, run }) {
        stream.write(toFrame(name, JSON.stringify(data)));
        // The prompt waits for a run that is in progress. The stream ends with the run of the prompt.
        if (isEnd && (run === undefined || run !== legacy.lastRun)) stream.end();
      },
    });
    stream.onClose(stop);
    context.hubs.addOther(stream);
    await queue.add(session.id);
  },
} satisfies PartialHandlers;
