import type { SessionStore } from '@klaus/core/agent';
import type { Klaus } from '../klaus.ts';
import { checkAnswer, checkContent, checkHunks, checkPlan, checkRaise, findQuestion } from './question.ts';
import type { Session } from './session-handle.ts';

/** The approvals of all sessions. */
export function createApprovals(
  store: SessionStore,
  open: (id: string) => Session,
): Pick<Klaus, 'approvals' | 'answer' | 'forget' | 'question'> {
  return {
    approvals: () => store.approvals({ open: true }),
    async answer(approval, answer, options = {}) {
      checkAnswer(approval, answer, options);
      const { by = 'sdk', note, hunks, scope, plan, mode, content } = options;
      const asked = await findQuestion(store, approval);
      checkPlan(asked, options);
      checkRaise(asked, answer, options);
      checkContent(asked, answer, options);
      if (hunks) checkHunks(asked, hunks);
      const session = open(asked.session);
      const given = { note, hunks, scope, plan, mode, content };
      await session.send({ type: 'approve', approval: asked.approval, answer, by, ...given });
      return session;
    },
    forget: (idOrPrefix, { by = 'sdk' } = {}) => store.forget(idOrPrefix, by),
    question: (approval) => findQuestion(store, approval),
  };
}
