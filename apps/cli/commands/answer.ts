import { openKlaus } from '../open-klaus.ts';
import { UsageError } from '../report-error.ts';
import type { ShowOptions } from '../run-options.ts';
import { canAsk, createOutput, workOn } from '../show-session.ts';

/**
 * `klaus approve ID` and `klaus reject ID`, from any process: settles the question and, when nobody holds
 * the session, goes on with it here.
 */
export async function answer(
  id: string,
  reply: 'approved' | 'rejected',
  options: ShowOptions & { note?: string },
): Promise<number> {
  const output = createOutput(options);
  await using klaus = await openKlaus({ onNotice: (text) => output.note(text) });
  const row = klaus.store.approval(id);
  if (row !== undefined && row.answer !== null) {
    const who = row.answeredBy === null ? '' : ` by ${row.answeredBy}`;
    throw new UsageError(
      `That question was settled before: ${row.answer}${who}.`,
      'klaus approvals lists the open ones.',
    );
  }
  const after = row === undefined ? 0 : (klaus.store.session(row.session)?.lastSeq ?? 0);
  // An unknown id is refused by the engine, which knows the nearest one.
  const session = await klaus.answer(row?.id ?? id, reply, {
    by: 'cli',
    ...(options.note !== undefined && { note: options.note }),
  });
  return await workOn({
    klaus,
    session,
    after,
    show: options,
    output,
    asks: canAsk(options),
    handedOver: 'The answer',
  });
}
