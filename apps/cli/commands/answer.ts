import { readFileSync } from 'node:fs';
import type { EventOf, HunkAnswer, Scope } from '@klaus/sdk';
import { openKlaus } from '../open-klaus.ts';
import { UsageError } from '../report-error.ts';
import type { ShowOptions } from '../run-options.ts';
import { canAsk, createOutput, workOn } from '../show-session.ts';

export interface AnswerOptions extends ShowOptions {
  note?: string;
  hunks?: readonly string[];
  rejectHunks?: readonly string[];
  /** `id=file`. */
  edit?: readonly string[];
  scope?: Scope;
}

/** The hunks that the options name; nothing where the whole change is meant. */
function toHunkAnswer(
  question: EventOf<'approval.asked'> | undefined,
  { hunks, rejectHunks, edit }: AnswerOptions,
): { hunks?: HunkAnswer } {
  if (!hunks && !rejectHunks && !edit) return {};
  if (hunks && rejectHunks) throw new UsageError('--hunks and --reject-hunks exclude each other.');
  const subject = question?.subject;
  const all = subject === undefined || subject.kind === 'limit' ? [] : (subject.hunks ?? []).map((hunk) => hunk.id);
  for (const id of rejectHunks ?? []) {
    if (!all.includes(id)) throw new UsageError(`There is no hunk ${id}.`, `Hunks: ${all.join(', ')}.`);
  }
  const accepted = hunks ?? all.filter((hunk) => !(rejectHunks ?? []).includes(hunk));
  const edited = (edit ?? []).map((pair) => {
    const at = pair.indexOf('=');
    return { id: pair.slice(0, at), text: readFileSync(pair.slice(at + 1), 'utf8') };
  });
  return { hunks: { accepted: [...accepted], ...(edited.length > 0 ? { edited } : {}) } };
}

/**
 * `klaus approve ID` and `klaus reject ID`, from any process: settles the question and, when nobody holds
 * the session, goes on with it here.
 */
export async function answer(id: string, reply: 'approved' | 'rejected', options: AnswerOptions): Promise<number> {
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
    ...(options.scope !== undefined && { scope: options.scope }),
    ...toHunkAnswer(row === undefined ? undefined : klaus.question(row.id), options),
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
