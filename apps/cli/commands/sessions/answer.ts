import type { EventOf } from '@klaus/sdk';
import { toHunkAnswer, type AnswerOptions } from '../../prompt/hunk-answer.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { UsageError } from '../../program/report-error.ts';
import { toGivenServer } from '../../program/server-option.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { runSession } from '../../session/run-session.ts';

/**
 * `klaus approve ID` and `klaus reject ID`, from any process: settles the question and, when nobody holds
 * the session, goes on with it here.
 */
export async function answer(id: string, reply: 'approved' | 'rejected', options: AnswerOptions): Promise<number> {
  if (toGivenServer(options) !== undefined)
    return (await import('../../remote/answer.ts')).answerAt(id, reply, options);
  const output = createOutput(options);
  await using klaus = await openKlaus({ onNotice: (text) => output.note(text) });
  const row = await klaus.store.approval(id);
  if (row !== undefined && row.answer !== null) {
    const who = row.answeredBy === null ? '' : ` by ${row.answeredBy}`;
    throw new UsageError(
      `That question was settled before: ${row.answer}${who}.`,
      'klaus approvals lists the open ones.',
    );
  }
  const after = row === undefined ? 0 : ((await klaus.store.session(row.session))?.lastSeq ?? 0);
  // An unknown id is refused by the engine, which knows the nearest one.
  const session = await klaus.answer(row?.id ?? id, reply, {
    by: 'cli',
    ...(options.note !== undefined && { note: options.note }),
    ...(options.scope !== undefined && { scope: options.scope }),
    ...toHunkAnswer(row === undefined ? [] : toHunkIds(await klaus.question(row.id)), options),
  });
  return await runSession({
    klaus,
    session,
    after,
    show: options,
    output,
    asks: canAsk(options),
    handedOver: 'The answer',
  });
}

function toHunkIds({ subject }: EventOf<'approval.asked'>): string[] {
  return subject.kind === 'limit' ? [] : (subject.hunks ?? []).map((hunk) => hunk.id);
}
