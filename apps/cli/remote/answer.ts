import { EXIT } from '../program/exit-codes.ts';
import { toHunkAnswer, type AnswerOptions } from '../prompt/hunk-answer.ts';
import { canAsk, createOutput } from '../output/show-output.ts';
import type { ServerOptions } from '../program/server-option.ts';
import { UsageError } from '../program/report-error.ts';
import { atServer } from './connect-server.ts';
import { followRun } from './follow-run.ts';
import { err } from '../output/sink.ts';

/** `klaus approve --server` and `klaus reject --server`: settles a question of a server and shows how its session goes on. */
export async function answerAt(id: string, reply: 'approved' | 'rejected', options: AnswerOptions): Promise<number> {
  const output = createOutput(options);
  return await atServer(options, async (server) => {
    const { client } = server;
    const question = await client.approval({ params: { id } });
    if (question.answer !== null) {
      const who = question.answeredBy === null ? '' : ` by ${question.answeredBy}`;
      throw new UsageError(
        `That question was settled before: ${question.answer}${who}.`,
        'klaus approvals --server … lists the open ones.',
      );
    }
    const { session } = question;
    const { lastSeq: after } = await client.session({ params: { id: session } });
    const body = {
      answer: reply,
      ...(options.note !== undefined && { note: options.note }),
      ...(options.scope !== undefined && { scope: options.scope }),
      ...toHunkAnswer(
        question.hunks.map((hunk) => hunk.id),
        options,
      ),
    };
    await client.answer({ params: { id: question.id }, body });
    return followRun({
      server,
      session,
      after,
      show: options,
      output,
      asks: canAsk(options),
      handedOver: 'The answer',
    });
  });
}

/** `klaus cancel --server`. */
export async function cancelAt(id: string, options: ServerOptions): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const { id: session, held, position, state } = await client.session({ params: { id } });
    if (!held && position === null && state !== 'needs-you' && state !== 'interrupted') {
      err.write(`Nothing is running in session ${session}.\n`);
      return EXIT.done;
    }
    const reason = 'The user stopped the run with klaus cancel.';
    await client.cancel({ params: { id: session }, body: { reason } });
    err.write(`The server is stopping: session ${session}.\n`);
    return EXIT.done;
  });
}
