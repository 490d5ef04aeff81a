import type { Event } from '../../protocol/index.ts';
import { SECRET_DECLINED } from '../questions/asks-for-secret.ts';
import { isToolsNotice } from '../calls/session-tools.ts';
import type { Work } from '../loop/work.ts';
import { toBody } from './compare.ts';
import type { Recording } from './recording.ts';

/** A call of a log that is replayed. */
export interface RecordedCall {
  work: Work;
  recording: Recording;
  /** Its id. */
  call: string;
}

/** True for a question that a tool asked while it ran. */
export function isInputQuestion(event: Event | undefined): boolean {
  return event?.type === 'approval.asked' && event.subject.kind === 'input';
}

/** True for the answer to such a question, or its end without one. */
export function isInputAnswer(events: readonly Event[], event: Event | undefined): boolean {
  if (event?.type !== 'approval.answered') return false;
  return isInputQuestion(events.find((asked) => asked.type === 'approval.asked' && asked.approval === event.approval));
}

/** Appends the recorded questions of a call and their answers, which precede its result. */
export async function appendQuestions({ work, recording, call }: RecordedCall): Promise<void> {
  const { events } = recording;
  const own = new Set<string>();
  for (let index = recording.at; index < events.length; index++) {
    const event = events[index]!;
    const isOwn =
      (event.type === 'approval.asked' && event.subject.kind === 'input' && event.subject.call === call) ||
      (event.type === 'approval.answered' && own.has(event.approval)) ||
      isDeclinedNotice(event) ||
      isToolsNotice(event);
    if (isOwn) {
      if (isClosedByOther(events, index)) return;
      if (event.type === 'approval.asked') own.add(event.approval);
      await recording.reached(index);
      await work.append([toBody(event)]);
    } else if (!isInputQuestion(event) && !isInputAnswer(events, event) && !isOfOtherCall(event, call)) return;
  }
}

/** The engine declined a question for a secret. */
function isDeclinedNotice(event: Event): boolean {
  return event.type === 'notice' && event.text.endsWith(SECRET_DECLINED);
}

/** The result of a call that runs at the same time. */
function isOfOtherCall(event: Event, call: string): boolean {
  return event.type === 'tool.finished' && event.call !== call;
}

/** True if the process of the call ended, so that another one closed the question. */
function isClosedByOther(events: readonly Event[], index: number): boolean {
  const event = events[index]!;
  if (event.type !== 'approval.answered' || event.answer !== 'superseded') return false;
  const after = events[index + 1];
  return (
    after === undefined ||
    after.type === 'gate.decided' ||
    (after.type === 'tool.finished' && after.outcome === 'unknown')
  );
}
