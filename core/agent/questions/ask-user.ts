import type { EventBody, EventOf, InputAnswer, InputQuestion } from '../../protocol/index.ts';
import { anySignal } from '../loop/any-signal.ts';
import type { Work } from '../loop/work.ts';
import { toQuestionEvent } from '../calls/call-events.ts';
import { receiveAnswers } from '../runner/answers.ts';
import type { CallState, State } from '../state/state.ts';
import { asksForSecret, SECRET_DECLINED } from './asks-for-secret.ts';
import { toClosed } from './close-questions.ts';

/** The last question of each session that is open: a user gets one at a time. */
const queues = new WeakMap<State, Promise<unknown>>();

/** The answer of the engine where no user is asked. */
const DECLINED = { action: 'decline' } as const;

/**
 * Asks the user during a call, and waits for the answer. Declined without a user, and if the form asks for a secret.
 *
 * @param options.signal Aborted: the question is closed without an answer.
 */
export async function askUser(
  work: Work,
  call: string,
  { question, signal }: { question: InputQuestion; signal: AbortSignal },
): Promise<InputAnswer> {
  const { state } = work;
  if (state.run?.onAsk !== 'wait') return DECLINED;
  if (asksForSecret(question)) {
    const text = `${question.from} ${SECRET_DECLINED}`;
    await work.append([{ type: 'notice', level: 'warn', text }]);
    return DECLINED;
  }
  const before = queues.get(state) ?? Promise.resolve();
  const asked = before.then(() => askOne(work, call, { question, signal: anySignal(work.stop, signal) }));
  queues.set(
    state,
    asked.catch(() => {}),
  );
  return asked;
}

async function askOne(
  work: Work,
  call: string,
  { question, signal }: { question: InputQuestion; signal: AbortSignal },
): Promise<InputAnswer> {
  const found = work.state.calls.find(({ id }) => id === call);
  if (signal.aborted || !found) return { action: 'cancel' };
  const asked = toInputAsked(work, found, question);
  await work.append([asked]);
  let answered: EventOf<'approval.answered'> | undefined;
  const answers = receiveAnswers(work, {
    types: new Set(['approve']),
    onReceived: (bodies) => {
      answered ??= findAnswer(bodies, asked.approval);
    },
  });
  try {
    await answers.until(asked.approval, signal);
  } finally {
    await answers.close();
  }
  // The end of the run closes the question, and after a crash the next process.
  if (!work.stop.aborted && work.state.approvals.has(asked.approval)) await work.append([toClosed(asked)]);
  if (answered?.answer === 'approved') return { action: 'accept', content: answered.content ?? {} };
  return answered?.answer === 'rejected' ? DECLINED : { action: 'cancel' };
}

function toInputAsked(work: Work, { id, index, name }: CallState, question: InputQuestion) {
  const subject = { kind: 'input' as const, call: id, index, name, ...question };
  const title = `${question.from} asks`;
  const reason = 'A running tool waits for the answer. It goes to the tool.';
  return { ...toQuestionEvent(work, { subject, title, reason }), held: true as const };
}

function findAnswer(bodies: readonly EventBody[], approval: string): EventOf<'approval.answered'> | undefined {
  return bodies.find((body) => body.type === 'approval.answered' && body.approval === approval) as
    | EventOf<'approval.answered'>
    | undefined;
}
