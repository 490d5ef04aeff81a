import { isProblemError } from '@klaus/server/client';
import type { HunkAnswer, InputContent, Mode, Scope } from '@klaus/core/protocol';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';

export interface Reply {
  answer: 'approved' | 'rejected';
  note?: string;
  hunks?: HunkAnswer;
  scope?: Scope;
  plan?: string;
  mode?: Exclude<Mode, 'plan'>;
  content?: InputContent;
}

/** Answers a question. True if the question is answered now, also by another client. */
export async function answerApproval(id: string, { note, ...reply }: Reply): Promise<boolean> {
  const body = { ...reply, ...(note === undefined || note.trim() === '' ? {} : { note: note.trim() }) };
  const taken = await attempt(async () => {
    try {
      await client.answer({ params: { id }, body });
    } catch (error) {
      if (!isProblemError(error) || ![404, 409].includes(error.problem.status)) throw error;
      showToast({ kind: 'info', text: text().approval.gone, detail: error.problem.title, lastsMs: 6_000 });
    }
    return true;
  });
  return taken === true;
}
