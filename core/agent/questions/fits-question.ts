import { findInputProblem, type EventOf, type InputContent } from '../../protocol/index.ts';

/** True if the values fit the form of the question; also for a question without a form. */
export function fitsQuestion(
  { subject }: Pick<EventOf<'approval.asked'>, 'subject'>,
  content: InputContent = {},
): boolean {
  return subject.kind !== 'input' || findInputProblem(subject.fields, content) === undefined;
}
