import { KlausError, type Event, type EventOf } from '@klaus/sdk';
import type { Caller } from '../access/caller.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { readConfiguration, sendRequiredPrompt, sendPrompt } from '../runs/send-prompt.ts';
import { toRestoredView } from './changes.ts';
import { findSession, openSession } from './sessions.ts';

export const runHandlers = {
  async sendPrompt({ params, body }, context) {
    const session = await openSession(context, params.id);
    const command = await sendRequiredPrompt(context.klaus, session, body);
    await context.queue.add(session.id);
    return { session: session.id, command };
  },

  async withdraw({ params }, context) {
    const session = await openSession(context, params.id);
    const command = await session.send({ type: 'withdraw', command: params.command });
    // If no process holds the session, the queue removes both commands from its inbox.
    if (await session.isRunnable()) await context.queue.add(session.id);
    return { session: session.id, command };
  },

  cancel: ({ params, body }, context, { by }) => cancelRun(context, params.id, { ...body, by }),

  async compact({ params, body }, context, { by }) {
    const session = await openSession(context, params.id);
    const configuration = await readConfiguration(context.klaus, session.id);
    const onAsk = body.onAsk ?? configuration.get('onAsk') ?? 'wait';
    const command = await session.send({ type: 'compact', by, onAsk });
    await context.queue.add(session.id);
    return { session: session.id, command };
  },

  async shell({ params, body }, context, { by }) {
    const session = await openSession(context, params.id);
    const configuration = await readConfiguration(context.klaus, session.id);
    const onAsk = body.onAsk ?? configuration.get('onAsk') ?? 'wait';
    const command = await session.send({ type: 'shell', command: body.command, by, onAsk });
    await context.queue.add(session.id);
    return { session: session.id, command };
  },

  async resume({ params, body }, context) {
    const { klaus, queue } = context;
    const session = await openSession(context, params.id);
    if (body.limits) await session.send({ type: 'limits', limits: body.limits });
    if (body.openRunOnAsk !== undefined) await session.changeOnAsk(body.openRunOnAsk);
    // A waiting message starts its run without a request.
    if (!klaus.store.view.inbox(session.id).some(({ type }) => type === 'prompt' || type === 'resume')) {
      const last = await klaus.store.lastOf(session.id, ['run.started', 'run.finished']);
      const outcome = last?.type === 'run.finished' ? last.outcome : undefined;
      if ((last === undefined || outcome === 'done') && !(await session.isRunnable()))
        throw new KlausError('usage', 'Nothing is left to do in this session.', { hint: 'Send a prompt.' });
      if (outcome !== undefined && outcome !== 'done') {
        const configuration = await readConfiguration(klaus, session.id);
        const onAsk = body.onAsk ?? configuration.get('onAsk') ?? 'wait';
        await session.send({ type: 'resume', onAsk, waitForModelMs: body.waitForModelMs });
      }
    }
    await queue.add(session.id);
    return { session: session.id };
  },

  async retry({ params, body }, context, { by }) {
    const { klaus, queue } = context;
    const { id, workspace } = await findSession(context, params.id);
    context.workspaces.checkKnown(workspace);
    const begun = (await klaus.store.eventsOf(id, ['run.started'])).findLast(({ trigger }) => trigger === 'prompt');
    const message = begun && (await findPrompt(klaus.store.read(id, begun.seq)));
    if (!begun || !message) throw new KlausError('usage', 'This session has no prompt yet.');
    const { session } = await klaus.fork(id, { at: begun.seq - 1, by, model: body.model });
    const command = await session.prompt(message.message.parts, { onAsk: begun.onAsk });
    await queue.add(session.id);
    return { session: session.id, command };
  },

  async fork({ params, body }, context, { by }) {
    const { klaus, queue } = context;
    const { id, workspace } = await findSession(context, params.id);
    context.workspaces.checkKnown(workspace);
    const { at, before, model, title } = body;
    const forked = await klaus.fork(id, { by, at, before, model, title });
    const { session, state } = forked;
    const restored =
      body.files === 'then' && state
        ? await session.restore({ kind: 'file', path: '', ...state, of: id }, { by, conflicts: 'keep' })
        : null;
    const command = await sendPrompt(klaus, session, body);
    if (command !== undefined) await queue.add(session.id);
    return {
      session: session.id,
      at: forked.at,
      settled: forked.settled,
      restored: restored && toRestoredView(restored),
      command: command ?? null,
    };
  },
} satisfies PartialHandlers;

/** Sends a cancel request, and applies it if no process holds the session. */
export async function cancelRun(
  context: Context,
  id: string,
  { run, reason, by }: { run?: string; reason?: string; by: Caller },
): Promise<{ session: string; command: string }> {
  const session = await openSession(context, id);
  const command = await session.send({
    type: 'cancel',
    by,
    reason:
      reason ?? (/^server\/page\b/.test(by) ? 'The user stopped the run from the page.' : 'The user stopped the run.'),
    run,
  });
  // Also for a run that is queued or waits for an approval. Otherwise the process that holds it reads the request.
  if (await session.isRunnable()) await context.queue.addNow(session.id);
  return { session: session.id, command };
}

async function findPrompt(log: AsyncIterable<readonly Event[]>): Promise<EventOf<'message.added'> | undefined> {
  for await (const events of log) {
    for (const event of events) {
      if (event.type === 'message.added' && event.message.origin === 'user') return event;
      if (event.type === 'turn.started') return undefined;
    }
  }
  return undefined;
}
