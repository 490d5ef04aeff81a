import type { ProcessStatus } from '@klaus/sdk';
import { toCalledBy } from '../access/caller.ts';
import type { ProcessView } from '../contract/index.ts';
import type { Context, Handlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findRow } from './sessions.ts';

export const contextHandlers: Handlers<'pin' | 'unpin' | 'processes' | 'processOutput' | 'stopProcess'> = {
  async pin({ params, body }, context, { request }) {
    const session = context.klaus.handle((await findRow(context, params.id)).id);
    if ((body.text === undefined) === (body.seq === undefined)) {
      throw new Refusal(400, 'usage', { title: 'Give either text or seq.' });
    }
    const result = await session.pin(body.text ?? { seq: body.seq! }, { by: toCalledBy(request) });
    return { ...result, pins: await session.pins() };
  },

  async unpin({ params }, context, { request }) {
    const session = context.klaus.handle((await findRow(context, params.id)).id);
    const result = await session.unpin(params.pin, { by: toCalledBy(request) });
    return { ...result, pins: await session.pins() };
  },

  processes: async ({ params }, context) => ({
    processes: context.klaus.processes((await findRow(context, params.id)).id).map(toView),
  }),

  async processOutput({ params, query }, context) {
    const { text, next } = await (await find(context, params)).read({ from: query.from });
    return { text, next };
  },

  async stopProcess({ params }, context, { request }) {
    return toView((await (await find(context, params)).stop({ by: toCalledBy(request) })).status);
  },
};

async function find(context: Context, { id, process }: { id: string; process: string }) {
  return await context.klaus.process(`${(await findRow(context, id)).id}/${process}`);
}

function toView(status: ProcessStatus): ProcessView {
  const { session, id, command, state, exitCode, reason, survives, startedAt, endedAt, bytes } = status;
  return { session, id, command, state, exitCode, reason, survives, startedAt, endedAt, bytes };
}
