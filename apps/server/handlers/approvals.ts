import { optional } from '@klaus/sdk/optional';
import { isEditable, type ApprovalRow, type HunkAnswer, type Scope } from '@klaus/sdk';
import { toCalledBy, type CalledBy } from '../access/caller.ts';
import type { ApprovalView } from '../contract/index.ts';
import type { Context, Handlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';

export const approvalHandlers: Handlers<'approvals' | 'approval' | 'answer' | 'remembered' | 'forgetRemembered'> = {
  async approvals({ query }, { klaus, deletions }) {
    const session = query.session === undefined ? undefined : (await klaus.session(query.session)).id;
    const rows = await klaus.store.approvals({ open: true, ...optional({ session }) });
    return { approvals: rows.filter((row) => deletions.until(row.session) === undefined).map(toView) };
  },

  async approval({ params }, { klaus }) {
    const { approval, subject } = await klaus.question(params.id);
    const row = (await klaus.store.approval(approval))!;
    const hunks = subject.kind === 'limit' ? [] : (subject.hunks ?? []);
    const canHold = subject.kind === 'call' && subject.remember !== undefined;
    return {
      ...toView(row),
      diff: row.diff,
      hunks: hunks.map((hunk) => ({ ...hunk, editable: isEditable(hunk) })),
      scopes: canHold ? ['once', 'session', 'project'] : ['once'],
    };
  },

  answer: ({ params, body }, context, { request }) =>
    answerQuestion(context, params.id, { ...body, by: toCalledBy(request) }),

  remembered: async (_, { klaus }) => ({ remembered: await klaus.store.remembered() }),

  async forgetRemembered({ params }, { klaus }, { request }) {
    if (!(await klaus.forget(params.id, { by: toCalledBy(request) }))) {
      throw new Refusal(404, 'usage', {
        title: `There is no remembered approval ${params.id}.`,
        detail: 'klaus approvals --remembered lists them.',
      });
    }
    return { approval: params.id };
  },
};

export interface GivenAnswer {
  answer: 'approved' | 'rejected';
  note?: string | undefined;
  hunks?: HunkAnswer | undefined;
  scope?: Scope | undefined;
  by: CalledBy;
}

/** Answers a question; its session goes on. @throws Refusal 409 for one that was settled before. */
export async function answerQuestion(
  { klaus, queue }: Pick<Context, 'klaus' | 'queue'>,
  id: string,
  { answer, note, hunks, scope, by }: GivenAnswer,
): Promise<{ session: string }> {
  const row = await klaus.store.approval(id);
  if (row?.answer != null) {
    throw new Refusal(409, 'usage', {
      title: `That question was settled before: ${row.answer}${row.answeredBy === null ? '' : ` by ${row.answeredBy}`}.`,
    });
  }
  const session = await klaus.answer(id, answer, { by, ...optional({ note, scope, hunks }) });
  queue.add(session.id);
  return { session: session.id };
}

function toView(row: ApprovalRow): ApprovalView {
  const { diff: _diff, ...view } = row;
  return view;
}
