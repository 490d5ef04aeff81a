import type { EventBody } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { CallState } from '../state/state.ts';

/** The end of a question without an answer. */
export function toClosed({ run, approval }: { run: string; approval: string }): EventBody {
  return { type: 'approval.answered', run, approval, answer: 'superseded', by: 'klaus' };
}

/** Closes the questions of a call whose process ended. */
export async function closeQuestions(work: Work, call: CallState): Promise<void> {
  const open = [...work.state.approvals.values()].filter(
    ({ subject }) => subject.kind === 'input' && subject.call === call.id,
  );
  if (open.length > 0) await work.append(open.map(toClosed));
}
