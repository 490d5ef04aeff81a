import { toText, cutText } from '../../protocol/index.ts';
import { requestCheapModel } from '../model/request-cheap-model.ts';
import { toTranscript } from '../context/transcript.ts';
import type { Work } from './work.ts';

const SYSTEM =
  'Name a conversation between a user and a coding agent. First line: a title of at most eight words, without quotes. ' +
  'Second line: one sentence on what was done and how it ended. Nothing else.';

/** An answer up to this length is the summary. */
const MAX_SUMMARY = 280;

/** Sets the title and the summary of the session: from short texts of the session, otherwise from the cheap model. */
export async function summarise(work: Work): Promise<void> {
  const { state } = work;
  const last = state.messages.findLast((message) => message.role === 'assistant');
  const answer = last ? toText(last).trim() : '';
  const own = answer.length <= MAX_SUMMARY ? answer : undefined;
  if (state.title !== undefined && own !== undefined) {
    await work.append([{ type: 'session.changed', summary: own }]);
    return;
  }
  const prompt = state.firstPrompt ?? '';
  const text = toTranscript(
    [
      { id: 'prompt', role: 'user', origin: 'user', parts: [{ type: 'text', text: prompt }] },
      { id: 'answer', role: 'assistant', origin: 'model', parts: [{ type: 'text', text: answer }] },
    ],
    2_000,
  );
  const named = await requestCheapModel(work, { purpose: 'title', system: SYSTEM, text, maxOutputTokens: 200 });
  if (work.isLeaving()) return work.append(named.bodies);
  const [first = '', ...rest] = (named.text ?? '').split('\n').map((line) => line.trim());
  const title = state.title ?? (first === '' ? cut(prompt, 60) : cut(first, 80));
  const summary = rest.find((line) => line !== '') ?? cut(answer, MAX_SUMMARY);
  await work.append([...named.bodies, { type: 'session.changed', title, summary }]);
}

function cut(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return cutText(line, max);
}
