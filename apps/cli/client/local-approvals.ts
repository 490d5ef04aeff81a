import { hunksOf, type ApprovalRow, type Klaus } from '@klaus/sdk';
import type { ListedApproval, SessionClient } from '@klaus/sdk/client';
import { UsageError } from '../program/cli-error.ts';

/** The approvals of all sessions of the engine in this process. */
export function createLocalApprovals(klaus: Klaus) {
  const { store } = klaus;
  return {
    approvals: async () => Promise.all((await klaus.approvals()).map((row) => toListedApproval(klaus, row))),
    async approval(id) {
      // The engine names the most similar id when it refuses an unknown one.
      const row = (await store.approval(id)) ?? (await store.approval((await klaus.question(id)).approval))!;
      const asked = await klaus.question(row.id);
      const { chain } = asked;
      const hunks = row.answer === null ? hunksOf(asked).map((hunk) => hunk.id) : [];
      const { id: approval, session, answer, answeredBy } = row;
      const input = asked.subject.kind === 'input' ? asked.subject : undefined;
      return { id: approval, session, answer, answeredBy, hunks, chain, input };
    },
    remembered: () => store.remembered(),
    async forget(id) {
      if (await klaus.forget(id, { by: 'cli' })) return;
      throw new UsageError(`There is no remembered approval ${id}.`, '`klaus approvals --remembered` lists them.');
    },
    givenApprovals: async (id) => (await klaus.session(id)).approvals(),
    changeApproval: async (id, approval, scope) =>
      (await klaus.session(id)).changeApproval(approval, scope, { by: 'cli' }),
    async answer(id, reply, options) {
      await klaus.answer(id, reply, { by: 'cli', raise: true, ...options });
    },
  } satisfies Partial<SessionClient>;
}

async function toListedApproval(klaus: Klaus, row: ApprovalRow): Promise<ListedApproval> {
  const asked = await klaus.question(row.id);
  const { chain, subject } = asked;
  const plan = subject.kind === 'plan' ? subject.plan : undefined;
  const input = subject.kind === 'input' ? subject : undefined;
  return { ...row, hunks: async () => hunksOf(asked), chain, plan, input };
}
