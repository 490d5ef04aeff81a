import { optional } from '@klaus/sdk/optional';
import type { Restored } from '@klaus/sdk';
import { toCaller } from '../access/caller.ts';
import type { RestoredView } from '../contract/index.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findSession, openSession } from './sessions.ts';

export const changeHandlers = {
  async undo({ params, body }, context, { request }) {
    const { turn, step, git, dryRun, conflicts } = body;
    const options = { by: toCaller(request), ...optional({ dryRun, conflicts }) };
    return toRestoredView(
      await (
        await openSession(context, params.id)
      ).restore({ kind: 'undo', ...optional({ turn, step, git }) }, options),
    );
  },

  async redo({ params, body }, context, { request }) {
    const options = { by: toCaller(request), ...optional({ dryRun: body.dryRun, conflicts: body.conflicts }) };
    return toRestoredView(await (await openSession(context, params.id)).restore({ kind: 'redo' }, options));
  },

  async changes({ params, query }, context) {
    const { turn, changes, diff } = await (await openSession(context, params.id)).turnChanges(query.turn ?? 'all');
    return { turn: query.turn === undefined ? null : turn, changes, diff };
  },

  async decisions({ params, query }, context) {
    const session = (await findSession(context, params.id)).id;
    const rows = await Array.fromAsync(context.klaus.store.decisions({ session, denied: query.denied ?? false }));
    const decisions = rows.map(({ event, input }) => ({
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
    const { id } = await findSession({ klaus, ...context }, params.id);
    const finished = (await klaus.store.eventsOf(id, ['tool.finished'])).findLast(({ call }) => call === params.call);
    if (!finished) throw new Refusal(404, 'not_found', { title: `The call ${params.call} has no result.` });
    const blob = finished.blob && (await klaus.store.readBlob(finished.blob.hash));
    const content = blob ? new TextDecoder().decode(blob) : finished.output;
    return { mediaType: 'text/plain; charset=utf-8', content: [content] };
  },

  async verify({ params, body }, context, { request }) {
    const verified = await (
      await openSession(context, params.id)
    ).verify({
      by: toCaller(request),
      ...optional({ approve: body.approve }),
    });
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
  };
}
