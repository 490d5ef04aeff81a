import { hunksOf, isEditable, KlausError, type ApprovalRow, type EventOf } from '@klaus/sdk';
import type { Caller } from '../access/caller.ts';
import { checkApproval } from '../access/check-network.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import type { Identity } from '../access/identity.ts';
import type { ApprovalView, RouteOf } from '../contract/index.ts';
import type { Context, Parsed, PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { findRow } from './find-row.ts';
import { openSession } from './sessions.ts';

export const approvalHandlers = {
  async approvals({ query }, context) {
    const { klaus, deletions, seen } = context;
    const session = query.session === undefined ? undefined : (await findRow(context, query.session)).id;
    const rows = await klaus.store.approvals({ open: true, session });
    const shown = rows.filter((row) => deletions.undoUntil(row.session) === undefined && seen.sees(row.workspace));
    return { approvals: await Promise.all(shown.map(async (row) => toView(row, await readChain(klaus, row)))) };
  },

  async approval({ params }, context) {
    const { klaus } = context;
    await checkQuestion(context, params.id);
    const asked = await klaus.question(params.id);
    const { approval, subject, chain } = asked;
    const row = (await klaus.store.approval(approval))!;
    const canRemember = subject.kind === 'call' && subject.remember !== undefined;
    return {
      ...toView(row, chain),
      diff: row.diff,
      plan: subject.kind === 'plan' ? subject.plan : null,
      input: toInput(subject),
      hunks: hunksOf(asked).map((hunk) => ({ ...hunk, editable: isEditable(hunk) })),
      scopes: canRemember ? ['once', 'session', 'project'] : ['once'],
    };
  },

  answer: ({ params, body }, context, { by, identity }) =>
    answerQuestion(context, params.id, { ...body, by, identity: identity! }),

  remembered: async (_, { klaus, seen }) => ({
    remembered: (await klaus.store.remembered()).filter(({ workspace }) => seen.sees(workspace)),
  }),

  async givenApprovals({ params }, context) {
    return { approvals: await (await openSession(context, params.id)).approvals() };
  },

  async changeApproval({ params, body }, context, { by, identity }) {
    const session = await openSession(context, params.id);
    if (body.scope !== 'once') await checkSandbox(context, identity!, session.id);
    return session.changeApproval(params.approval, body.scope, { by });
  },

  async forgetRemembered({ params }, { klaus, seen }, { by }) {
    const row = (await klaus.store.remembered()).find(({ approval }) => approval === params.id);
    const isSeen = seen.isComplete || (row !== undefined && seen.sees(row.workspace));
    if (!isSeen || !(await klaus.forget(params.id, { by }))) {
      throw new Refusal(404, 'usage', {
        title: `There is no remembered approval ${params.id}.`,
        detail: '`klaus approvals --remembered` lists them.',
      });
    }
    return { approval: params.id };
  },
} satisfies PartialHandlers;

type ApprovalAnswer = Parsed<RouteOf<'answer'>>['body'] & { by: Caller; identity: Identity };

/** Answers a question and resumes its session. @throws Refusal 409 for one that is closed already. */
export async function answerQuestion(
  context: Pick<Context, 'klaus' | 'queue' | 'seen'>,
  id: string,
  { answer, by, identity, ...options }: ApprovalAnswer,
): Promise<{ session: string }> {
  const { klaus, queue } = context;
  const row = await checkQuestion(context, id);
  if (row) await checkSandbox({ klaus }, identity, row.session);
  if (answer === 'approved' && row) {
    const effects = (tool: string) => klaus.effectsOf(tool);
    await checkApproval({ store: klaus.store, effects }, identity, await klaus.question(id));
  }
  if (row?.answer != null) {
    throw new Refusal(409, 'usage', {
      title: `This question is closed already: ${row.answer}${row.answeredBy === null ? '' : ` by ${row.answeredBy}`}.`,
    });
  }
  const session = await klaus.answer(id, answer, { by, raise: true, ...options });
  await queue.add(session.id);
  return { session: session.id };
}

/** A question that the sender may see; undefined without one. @throws KlausError `usage` for one of another project. */
async function checkQuestion(
  { klaus, seen }: Pick<Context, 'klaus' | 'seen'>,
  id: string,
): Promise<ApprovalRow | undefined> {
  const row = await klaus.store.approval(id);
  if (seen.isComplete || (row && seen.sees(row.workspace))) return row;
  throw new KlausError('usage', `There is no question ${id.slice(0, 100)} in your projects.`, {
    hint: '`GET /api/approvals` lists the open ones.',
  });
}

function toInput(subject: EventOf<'approval.asked'>['subject']) {
  if (subject.kind !== 'input') return null;
  const { from, message, fields, url } = subject;
  return { from, message, fields, url };
}

/** The chain of a question. Only a child session has one, and only then the log is read. */
async function readChain(klaus: Context['klaus'], { id, session }: ApprovalRow): Promise<ApprovalView['chain']> {
  return klaus.store.view.session(session)?.parent == null ? undefined : (await klaus.question(id)).chain;
}

function toView(row: ApprovalRow, chain: ApprovalView['chain']): ApprovalView {
  const { diff: _diff, ...view } = row;
  return { ...view, chain };
}
