import type { PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { openSession } from './sessions.ts';

export const pinHandlers = {
  async pin({ params, body }, context, { by }) {
    const session = await openSession(context, params.id);
    if ((body.text === undefined) === (body.seq === undefined)) {
      throw new Refusal(400, 'usage', { title: 'Send either `text` or `seq`.' });
    }
    const result = await session.pin(body.text ?? { seq: body.seq! }, { by });
    return { ...result, pins: await session.pins() };
  },

  async unpin({ params }, context, { by }) {
    const session = await openSession(context, params.id);
    const result = await session.unpin(params.pin, { by });
    return { ...result, pins: await session.pins() };
  },
} satisfies PartialHandlers;
