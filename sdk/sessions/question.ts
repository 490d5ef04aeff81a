import type { SessionStore } from '@klaus/core/agent';
import {
  commandSchema,
  hunksOf,
  findInputProblem,
  isEditable,
  KlausError,
  type EventOf,
  type HunkAnswer,
  type InputContent,
  type Mode,
  type Scope,
  isRecord,
} from '@klaus/core/protocol';

export interface AnswerOptions {
  /** Who answers, for the log. Default `sdk`. */
  by?: string;
  /** A reason, for the model. */
  note?: string;
  /** Only these hunks, some of them with edited lines. Default: the complete change. */
  hunks?: HunkAnswer;
  /** How long an approval remains valid. Default `once`. */
  scope?: Scope;
  /** For a plan: its text as the user edited it. Default: as it was presented. */
  plan?: string;
  /** For a plan: the mode in which the session continues. Default: `edits` if it is in mode `plan`. */
  mode?: Exclude<Mode, 'plan'>;
  /** For a question with fields: their values by name. Default: none. */
  content?: InputContent;
  /**
   * True: an approval of a question about a limit raises it. Without it, such an approval is refused, so that a program
   * that approves all questions does not raise its own budget. Default false.
   */
  raise?: boolean;
}

/** The question as it was asked. @throws KlausError `usage` when there is none. */
export async function findQuestion(
  store: Pick<SessionStore, 'approval' | 'eventsOf'>,
  idOrPrefix: string,
): Promise<EventOf<'approval.asked'>> {
  const row = await store.approval(idOrPrefix);
  const asked = row && (await store.eventsOf(row.session, ['approval.asked']));
  const found = asked?.find(({ approval }) => approval === row?.id);
  if (found) return found;
  throw new KlausError('usage', `There is no approval ${idOrPrefix}.`, {
    hint: 'klaus approvals lists the open ones.',
  });
}

const OPTIONS: Readonly<Record<keyof AnswerOptions, true>> = {
  by: true,
  note: true,
  hunks: true,
  scope: true,
  plan: true,
  mode: true,
  content: true,
  raise: true,
};

/**
 * Checks the arguments of callers without types. Misspelled options are also refused: without its hunks an answer would
 * accept the complete change.
 *
 * @throws KlausError `usage` naming the argument.
 */
export function checkAnswer(approval: unknown, answer: unknown, options: unknown): void {
  if (typeof approval !== 'string' || approval === '') {
    throw new KlausError('usage', `The id of an approval is a string, not ${toShown(approval)}.`, {
      hint: 'Pass `approval` of the event `approval.asked`, or `id` of a row of `klaus.approvals()`.',
    });
  }
  if (answer !== 'approved' && answer !== 'rejected') {
    throw new KlausError('usage', `${toShown(answer)} is not an answer to an approval.`, {
      hint: "Answer 'approved' or 'rejected'.",
    });
  }
  if (!isRecord(options)) {
    throw new KlausError('usage', `The options of an answer are an object, not ${toShown(options)}.`);
  }
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(OPTIONS, key));
  if (unknown !== undefined) {
    throw new KlausError('usage', `An answer has no option \`${unknown}\`.`, {
      hint: `Options: ${Object.keys(OPTIONS).join(', ')}.`,
    });
  }
  const { raise, ...sent } = options;
  if (raise !== undefined && typeof raise !== 'boolean')
    throw new KlausError('usage', `Option \`raise\` of an answer is true or false, not ${toShown(raise)}.`);
  const parsed = commandSchema.safeParse({ type: 'approve', id: '', by: '', approval, answer, ...sent });
  if (parsed.success) return;
  const { path = [], message = 'it does not fit' } = parsed.error.issues[0] ?? {};
  throw new KlausError('usage', `Option \`${path.join('.')}\` of an answer: ${message}.`);
}

function toShown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? 'a list' : 'an object';
}

/** @throws KlausError `usage` for a plan, or the mode after it, in the answer to another question. */
export function checkPlan({ subject }: EventOf<'approval.asked'>, { plan, mode }: AnswerOptions): void {
  if (subject.kind === 'plan' || (plan === undefined && mode === undefined)) return;
  throw new KlausError('usage', 'Only the answer to a plan has a plan or a mode.');
}

/** @throws KlausError `usage` for an approval that would raise a limit, without `raise`. */
export function checkRaise(
  { subject }: EventOf<'approval.asked'>,
  answer: 'approved' | 'rejected',
  { raise = false }: AnswerOptions,
): void {
  if (subject.kind !== 'limit' || answer !== 'approved' || raise) return;
  const { limit, cap, offer } = subject;
  throw new KlausError('usage', `An approval of this question raises the limit \`${limit}\` from ${cap} to ${offer}.`, {
    hint: "Pass `{ raise: true }` if that is meant. After 'rejected', the run ends with the outcome `limit`.",
  });
}

/** @throws KlausError `usage` for values that do not fit the fields of the question, or for another question. */
export function checkContent(
  { subject }: EventOf<'approval.asked'>,
  answer: 'approved' | 'rejected',
  { content }: AnswerOptions,
): void {
  const isForm = subject.kind === 'input' && answer === 'approved';
  if (!isForm && content === undefined) return;
  const problem = isForm ? findInputProblem(subject.fields, content ?? {}) : 'Only the answer to a form has values.';
  if (problem === undefined) return;
  const fields = isForm ? subject.fields.map(({ name, type }) => `${name} (${type})`).join(', ') : '';
  throw new KlausError('usage', problem, { hint: fields === '' ? undefined : `Fields: ${fields}.` });
}

/** @throws KlausError `usage` naming the hunks, for an unknown one. */
export function checkHunks(asked: EventOf<'approval.asked'>, given: HunkAnswer): void {
  const hunks = hunksOf(asked);
  const known = hunks.map(({ id }) => id);
  for (const id of [...given.accepted, ...(given.edited ?? []).map((hunk) => hunk.id)]) {
    if (known.includes(id)) continue;
    const hint = known.length === 0 ? 'This question has no hunks.' : `Hunks: ${known.slice(0, 20).join(', ')}.`;
    throw new KlausError('usage', `There is no hunk ${id}.`, { hint });
  }
  for (const { id } of given.edited ?? []) {
    if (isEditable(hunks.find((hunk) => hunk.id === id))) continue;
    throw new KlausError('usage', `Hunk ${id} has no lines to edit: it can only be accepted or rejected.`);
  }
}
