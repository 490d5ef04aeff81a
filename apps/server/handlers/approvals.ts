import { isEditable, type ApprovalRow } from '@klaus/sdk';
import type { ApprovalView } from '../contract/index.ts';
import type { Handlers } from '../handler.ts';
import { given } from '../prompting.ts';
import { Refusal } from '../problem.ts';

export const approvalHandlers: Handlers<'approvals' | 'approval' | 'answer'> = {
  approvals({ query }, { klaus, deletions }) {
    const session = query.session === undefined ? undefined : klaus.session(query.session).id;
    const rows = klaus.store.approvals({ open: true, ...given({ session }) });
    return { approvals: rows.filter((row) => deletions.until(row.session) === undefined).map(toView) };
  },

  approval({ params }, { klaus }) {
    const { approval, subject } = klaus.question(params.id);
    const row = klaus.store.approval(approval)!;
    const hunks = subject.kind === 'limit' ? [] : (subject.hunks ?? []);
    const canHold = subject.kind === 'call' && subject.remember !== undefined;
    return {
      ...toView(row),
      diff: row.diff,
      hunks: hunks.map((hunk) => ({ ...hunk, editable: isEditable(hunk) })),
      scopes: canHold ? ['once', 'session', 'project'] : ['once'],
    };
  },

  async answer({ params, body }, { klaus, queue }) {
    const row = klaus.store.approval(params.id);
    if (row?.answer != null) {
      throw new Refusal(409, 'usage', {
        title: `That question was settled before: ${row.answer}${row.answeredBy === null ? '' : ` by ${row.answeredBy}`}.`,
      });
    }
    const { note, scope, hunks } = body;
    const session = await klaus.answer(params.id, body.answer, { by: 'server', ...given({ note, scope, hunks }) });
    // An answer is never kept waiting for a place: a run that parked has given its own back.
    queue.add(session.id);
    return { session: session.id };
  },
};

function toView(row: ApprovalRow): ApprovalView {
  const { diff: _diff, ...view } = row;
  return view;
}
