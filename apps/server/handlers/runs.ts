import { optional } from '@klaus/sdk/optional';
import { KlausError, type Event, type EventOf, type Restored, type Session } from '@klaus/sdk';
import { toCalledBy, type CalledBy } from '../access/caller.ts';
import type { RestoredView } from '../contract/index.ts';
import type { Context, Handlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { sendNeededPrompt, sendPrompt } from '../runs/send-prompt.ts';
import { findRow } from './sessions.ts';

async function find(context: Context, id: string): Promise<Session> {
  return context.klaus.handle((await findRow(context, id)).id);
}

export const workHandlers: Handlers<
  | 'sendPrompt'
  | 'withdraw'
  | 'cancel'
  | 'resume'
  | 'retry'
  | 'fork'
  | 'undo'
  | 'redo'
  | 'changes'
  | 'decisions'
  | 'callOutput'
  | 'verify'
> = {
  async sendPrompt({ params, body }, context) {
    const session = await find(context, params.id);
    const command = await sendNeededPrompt(context.klaus, session, body);
    context.queue.add(session.id);
    return { session: session.id, command };
  },

  async withdraw({ params }, context) {
    const session = await find(context, params.id);
    const command = await session.send({ type: 'withdraw', command: params.command });
    // Where nobody works on the session, both are taken out of its inbox at once.
    if (await session.isRunnable()) context.queue.add(session.id);
    return { session: session.id, command };
  },

  cancel: ({ params, body }, context, { request }) =>
    cancelRun(context, params.id, { ...body, by: toCalledBy(request) }),

  async resume({ params, body }, context) {
    const { klaus, queue } = context;
    const session = await find(context, params.id);
    if (body.limits) await session.send({ type: 'limits', limits: optional(body.limits) });
    const last = await klaus.store.lastOf(session.id, ['run.started', 'run.finished']);
    if (
      last === undefined ||
      (last.type === 'run.finished' && last.outcome === 'done' && !(await session.isRunnable()))
    ) {
      throw new KlausError('usage', 'Nothing is left to do in this session.', { hint: 'Send a prompt.' });
    }
    if (last.type === 'run.finished' && last.outcome !== 'done') {
      const onAsk = body.onAsk ?? klaus.configuration.get('onAsk') ?? 'wait';
      await session.send({ type: 'resume', onAsk, ...optional({ waitForModelMs: body.waitForModelMs }) });
    }
    queue.add(session.id);
    return { session: session.id };
  },

  async retry({ params, body }, context, { request }) {
    const { klaus, queue } = context;
    const { id, workspace } = await findRow(context, params.id);
    context.places.checkKnown(workspace);
    const begun = (await klaus.store.eventsOf(id, ['run.started'])).findLast(({ trigger }) => trigger === 'prompt');
    const message = begun && findPrompt(klaus.store.view.events(id, begun.seq));
    if (!begun || !message) throw new KlausError('usage', 'This session has no prompt yet.');
    const { session } = await klaus.fork(id, {
      at: begun.seq - 1,
      by: toCalledBy(request),
      ...optional({ model: body.model }),
    });
    const command = await session.prompt(message.message.parts, { onAsk: begun.onAsk });
    queue.add(session.id);
    return { session: session.id, command };
  },

  async fork({ params, body }, context, { request }) {
    const { klaus, queue } = context;
    const by = toCalledBy(request);
    const { id, workspace } = await findRow(context, params.id);
    context.places.checkKnown(workspace);
    const at = body.before === undefined ? body.at : seqBefore(klaus.store.view.events(id), body.before);
    const forked = await klaus.fork(id, { by, ...optional({ at, model: body.model, title: body.title }) });
    const { session, state } = forked;
    const restored =
      body.files === 'then' && state
        ? await session.restore({ kind: 'file', path: '', ...state, of: id }, { by, conflicts: 'keep' })
        : null;
    const command = await sendPrompt(klaus, session, body);
    if (command !== undefined) queue.add(session.id);
    return {
      session: session.id,
      at: forked.at,
      settled: forked.settled,
      restored: restored && toRestoredView(restored),
      command: command ?? null,
    };
  },

  async undo({ params, body }, context, { request }) {
    const { turn, step, git, dryRun, conflicts } = body;
    const options = { by: toCalledBy(request), ...optional({ dryRun, conflicts }) };
    return toRestoredView(
      await (await find(context, params.id)).restore({ kind: 'undo', ...optional({ turn, step, git }) }, options),
    );
  },

  async redo({ params, body }, context, { request }) {
    const options = { by: toCalledBy(request), ...optional({ dryRun: body.dryRun, conflicts: body.conflicts }) };
    return toRestoredView(await (await find(context, params.id)).restore({ kind: 'redo' }, options));
  },

  async changes({ params, query }, context) {
    const { turn, changes, diff } = await (await find(context, params.id)).turnChanges(query.turn ?? 'all');
    return { turn: query.turn === undefined ? null : turn, changes, diff };
  },

  async decisions({ params, query }, context) {
    const session = (await findRow(context, params.id)).id;
    const rows = await Array.fromAsync(context.klaus.store.decisions({ session, denied: query.denied ?? false }));
    const decisions = [...rows].map(({ event, input }) => ({
      seq: event.seq,
      at: event.at,
      turn: event.turn,
      call: event.call,
      tool: event.name,
      input,
      phase: event.phase ?? null,
      verdict: event.verdict,
      rule: event.rule,
      reason: event.reason,
      findings: event.findings,
    }));
    return { decisions };
  },

  async callOutput({ params }, { klaus, ...context }) {
    const { id } = await findRow({ klaus, ...context }, params.id);
    const finished = (await klaus.store.eventsOf(id, ['tool.finished'])).findLast(({ call }) => call === params.call);
    if (!finished) throw new Refusal(404, 'not_found', { title: `There is no result of a call ${params.call}.` });
    const whole = finished.blob && (await klaus.store.readBlob(finished.blob.hash));
    const content = whole ? new TextDecoder().decode(whole) : finished.output;
    return { mediaType: 'text/plain; charset=utf-8', content: [content] };
  },

  async verify({ params, body }, context, { request }) {
    const verified = await (
      await find(context, params.id)
    ).verify({
      by: toCalledBy(request),
      ...optional({ approve: body.approve }),
    });
    const checks = verified.checks.map(({ command, result, reason }) => ({ command, result, reason: reason ?? null }));
    return { isChanged: verified.isChanged === true, checks };
  },
};

/** Sends the wish to stop, and carries it out where nobody else does. */
export async function cancelRun(
  context: Context,
  id: string,
  { run, reason, by }: { run?: string | undefined; reason?: string | undefined; by: CalledBy },
): Promise<{ session: string; command: string }> {
  const session = await find(context, id);
  const command = await session.send({
    type: 'cancel',
    by,
    reason: reason ?? (by === 'server/page' ? 'The user stopped the run from the page.' : 'The user stopped the run.'),
    ...optional({ run }),
  });
  // Also of a run that waits for its turn or for an answer; whoever holds it sees the wish otherwise.
  if (await session.isRunnable()) context.queue.addNow(session.id);
  return { session: session.id, command };
}

function findPrompt(events: Iterable<Event>): EventOf<'message.added'> | undefined {
  for (const event of events) {
    if (event.type === 'message.added' && event.message.origin === 'user') return event;
    if (event.type === 'turn.started') return undefined;
  }
  return undefined;
}

/** Everything before a message of the user, and before the run that it began. */
function seqBefore(events: Iterable<Event>, message: string): number {
  let run = 0;
  for (const event of events) {
    if (event.type === 'run.started') run = event.seq;
    if (event.type !== 'message.added' || event.message.id !== message) continue;
    return event.message.origin === 'user' ? run - 1 : event.seq - 1;
  }
  throw new KlausError('usage', `There is no message ${message} in this session.`);
}

function toRestoredView(restored: Restored): RestoredView {
  const toPaths = (rows: readonly { path: string }[]) => rows.map(({ path }) => ({ path }));
  const { done, turns, changes, git } = restored;
  return {
    done,
    turns,
    changes,
    git: { changes: git.changes, refs: git.refs.map((ref) => ({ ...ref })) },
    conflicts: restored.done ? [] : toPaths(restored.conflicts),
    kept: restored.done ? toPaths(restored.kept) : [],
    uncovered: restored.done ? [...restored.uncovered] : [],
  };
}
