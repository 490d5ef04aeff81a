import type { Restored } from '@klaus/sdk';
import type { RestoredView } from '../contract/index.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findSession, openSession } from './sessions.ts';

export const changeHandlers = {
  async undo({ params, body }, context, { by }) {
    const { turn, step, git, dryRun, conflicts } = body;
    const options = { by, dryRun, conflicts };
    const session = await openSession(context, params.id);
    return toRestoredView(await session.restore({ kind: 'undo', turn, step, git }, { unclear: 'refuse', ...options }));
  },

  async redo({ params, body }, context, { by }) {
    const session = await openSession(context, params.id);
    return toRestoredView(await session.restore({ kind: 'redo' }, { by, ...body }));
  },

  async restoreFile({ params, body }, context, { by }) {
    const { path, turn, after, dryRun, conflicts } = body;
    const session = await openSession(context, params.id);
    const request = { kind: 'file', path, turn, side: after ? 'after' : 'before' } as const;
    return toRestoredView(await session.restore(request, { by, dryRun, conflicts }));
  },

  async changes({ params, query }, context) {
    const session = await openSession(context, params.id);
    const { turn, ...found } = await session.turnChanges(query.turn ?? 'all');
    return { turn: query.turn === undefined ? null : turn, ...found, others: [...found.others] };
  },

  async decisions({ params, query }, context) {
    const session = (await findSession(context, params.id)).id;
    const rows = await Array.fromAsync(context.klaus.store.decisions({ session, denied: query.denied ?? false }));
    const decisions = rows.map(({ event, input }) => {
      const { seq, at, turn, call, name: tool, phase = null, verdict, rule, reason, findings } = event;
      return { seq, at, turn, call, tool, input, phase, verdict, rule, reason, findings };
    });
    return { decisions };
  },

  async callOutput({ params }, context) {
    const { klaus } = context;
    const { id } = await findSession(context, params.id);
    const content = await klaus.handle(id).callOutput(params.call);
    if (content === undefined) throw new Refusal(404, 'not_found', { title: `The call ${params.call} has no result.` });
    return { mediaType: 'text/plain; charset=utf-8', content: [content] };
  },

  async verify({ params, body }, context, { by }) {
    const session = await openSession(context, params.id);
    const verified = await session.verify({ by, approve: body.approve });
    const checks = verified.checks.map(({ command, result, reason }) => ({ command, result, reason: reason ?? null }));
    return { isChanged: verified.isChanged === true, checks };
  },
} satisfies PartialHandlers;

export function toRestoredView(restored: Restored): RestoredView {
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
    notRestored: restored.notRestored.map(({ path, command }) => ({ path, command: command ?? null })),
  };
}
