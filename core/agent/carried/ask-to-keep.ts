import type { EventBody } from '../../protocol/index.ts';
import { toQuestionEvent } from '../calls/call-events.ts';
import type { Work } from '../loop/work.ts';
import { toClosed } from '../questions/close-questions.ts';
import { receiveAnswers } from '../runner/answers.ts';
import type { GuardInput } from '../workspace/guarded.ts';

/** Most names in a question. */
const MAX_NAMES = 100;

/**
 * Asks whether what git brought to protected places is kept. Everything is restored already, so that the question can
 * wait, and a crash leaves nothing to check.
 */
export async function askToKeep(
  work: Work,
  { run, turn }: Pick<GuardInput['opened'], 'run' | 'turn'>,
  { places, holders }: { places: readonly string[]; holders: readonly string[] },
): Promise<boolean> {
  const { state } = work;
  if (state.run?.onAsk !== 'wait' || work.stop.aborted || places.length === 0) return false;
  const call = state.turnEffects?.last;
  if (!call) return false;
  const list = (names: readonly string[]): string =>
    [
      ...names.slice(0, MAX_NAMES).map((name) => `- ${name}`),
      ...(names.length > MAX_NAMES ? [`- and ${names.length - MAX_NAMES} more`] : []),
    ].join('\n');
  const message =
    `A command brought new content of these protected places:\n${list(places)}\n` +
    `It is in:\n${list(holders)}\nOther programs obey these files. Keep it? It is reverted otherwise.`;
  const subject = { kind: 'input' as const, ...call, from: 'Klaus', message, fields: [] };
  const title = `keep new content of ${places.length} protected ${places.length === 1 ? 'place' : 'places'} in git`;
  const reason = 'It is in no commit that existed before the session, and no approved edit has it.';
  const asked = { ...toQuestionEvent(work, { subject, title, reason }), run, turn, held: true as const };
  await work.append([asked]);
  let isKept = false;
  const isAnswer = (body: EventBody): boolean =>
    body.type === 'approval.answered' && body.approval === asked.approval && body.answer === 'approved';
  const answers = receiveAnswers(work, {
    types: new Set(['approve']),
    onReceived: (bodies) => {
      isKept ||= bodies.some(isAnswer);
    },
  });
  try {
    await answers.until(asked.approval, work.stop);
  } finally {
    await answers.close();
  }
  if (!work.stop.aborted && state.approvals.has(asked.approval)) await work.append([toClosed(asked)]);
  return isKept;
}
