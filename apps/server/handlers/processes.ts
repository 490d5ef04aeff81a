import type { ProcessStatus } from '@klaus/sdk';
import type { ProcessView } from '../contract/index.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { findSession } from './sessions.ts';

export const processHandlers = {
  processes: async ({ params }, context) => ({
    processes: context.klaus.processes((await findSession(context, params.id)).id).map(toView),
  }),

  async processOutput({ params, query }, context) {
    const { text, next } = await (await find(context, params)).read({ from: query.from });
    return { text, next };
  },

  async stopProcess({ params }, context, { by }) {
    return toView((await (await find(context, params)).stop({ by })).status);
  },
} satisfies PartialHandlers;

async function find(context: Context, { id, process }: { id: string; process: string }) {
  return context.klaus.process(`${(await findSession(context, id)).id}/${process}`);
}

function toView(status: ProcessStatus): ProcessView {
  const { session, id, command, state, exitCode, reason, survives, startedAt, endedAt, bytes } = status;
  return { session, id, command, state, exitCode, reason, survives, startedAt, endedAt, bytes };
}
