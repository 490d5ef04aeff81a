import { EVENT_VERSION, type EventBody, type Message, tailOf } from '../../protocol/index.ts';
import { requestCheapModel } from '../model/request-cheap-model.ts';
import { askLimit } from '../budget/ask-limit.ts';
import { findSizes } from '../budget/learned-sizes.ts';
import { fold } from '../state/fold.ts';
import { cutOutput } from '../calls/cut-output.ts';
import { isPinMessage } from './pins.ts';
import { openedOf, runOf, type State } from '../state/state.ts';
import { isTodoMessage } from './todos.ts';
import { toTranscript } from './transcript.ts';
import type { Work } from '../loop/work.ts';

const SYSTEM =
  'You compress the history of a coding agent. Write down, in terse notes: what the user wants, word for word where it matters; ' +
  'what was decided and why; which files were read or changed and what is in them that matters; commands and their results; ' +
  'what failed; what is left to do. Invent nothing.';

/** Share of the context window that is not compacted. */
const KEEP = 0.25;
const BYTES_PER_TOKEN = 3;
/** A compaction that does not reduce the history to this share is not applied: it would be repeated at once. */
const WORTHWHILE = 0.95;

const RECALL =
  'Nothing of it is lost: recall {"query": "…"} finds the exact text of every earlier message, call, file and result, ' +
  'also what was cut. Use it where these notes are not exact enough, and before saying that something is not known.';

/**
 * Replaces the head of the history by a summary from the cheap model. The cut never separates a call from its result. If
 * the model fails, the summary lists messages and calls. If a limit does not allow the request, the user is first asked
 * to raise it.
 */
export async function compact(work: Work): Promise<void> {
  const { state } = work;
  const model = await work.model();
  const run = runOf(state).id;
  // At most half of the history: if the provider reports that the prompt is too long, the estimate is wrong.
  const budget = Math.min(findSizes(state, model).contextWindow * KEEP * BYTES_PER_TOKEN, state.bytes / 2);
  const cut = findCut(state.messages, budget);
  if (cut === undefined) {
    await work.append([{ type: 'context.compacted', run, turn: state.turn, summary: '', firstKept: '', dropped: 0 }]);
    return;
  }
  const dropped = state.messages.slice(0, cut);
  const perPart = Math.max(400, Math.floor(budget / Math.max(1, dropped.length)));
  const isSummary = (message: Message | undefined): boolean => message?.id.startsWith('summary-') ?? false;
  // The notes of an earlier compaction replace many messages, so that they get a larger share.
  const earlier = isSummary(dropped[0]) ? `${toTranscript(dropped.slice(0, 1), budget / 2)}\n` : '';
  const transcript =
    earlier +
    toTranscript(
      dropped.filter(
        (message) =>
          message.origin !== 'context' && !isSummary(message) && !isPinMessage(message) && !isTodoMessage(message),
      ),
      perPart,
    );
  const answer = await requestCheapModel(work, {
    purpose: 'compaction',
    system: SYSTEM,
    text: transcript,
    maxOutputTokens: 2_048,
  });
  if (work.stop.aborted) return work.append(answer.bodies);
  // A higher limit is better than a history without a summary.
  if (answer.reached && runOf(state).onAsk === 'wait') return askLimit(work, answer.reached);
  const bodies: EventBody[] = [...answer.bodies];
  if (answer.text === undefined) {
    const text = 'The history was shortened without a model: the summary only lists messages and calls.';
    bodies.push({ type: 'notice', run, level: 'warn', text });
  }
  const notes = answer.text ?? tailOf(toTranscript(dropped, 200), budget / 2);
  const summary =
    `The beginning of this conversation was replaced by these notes to save room.\n<notes>\n${notes}\n</notes>` +
    (openedOf(state).tools.includes('recall') ? `\n${RECALL}` : '') +
    (state.firstPrompt === undefined
      ? ''
      : `\nThe user's first request, word for word:\n<request>\n${cutOutput(state.firstPrompt, budget / 4)}\n</request>`);
  const firstKept = state.messages[cut]?.id ?? '';
  const compacted: Compacted = { type: 'context.compacted', run, turn: state.turn, summary, firstKept, dropped: cut };
  // If the provider reports that the prompt is too long, the request is repeated once even if little was saved.
  const isVain = !runOf(state).mustCompact && toSize(state, compacted) > state.bytes * WORTHWHILE;
  bodies.push(isVain ? { ...compacted, summary: '', firstKept: '', dropped: 0 } : compacted);
  await work.append(bodies);
}

type Compacted = Extract<EventBody, { type: 'context.compacted' }>;

/** Bytes of the history after a compaction. */
function toSize(state: State, body: Compacted): number {
  const { session } = openedOf(state);
  const { run: _, ...rest } = state;
  const probe: State = { ...rest };
  fold(probe, { ...body, v: EVENT_VERSION, seq: state.seq + 1, prev: '', session, at: 0 });
  return probe.bytes;
}

/** Index of the first message that remains: the earliest one that is no result and whose tail fits `budget` characters. */
function findCut(messages: readonly Message[], budget: number): number | undefined {
  let size = 0;
  let cut: number | undefined;
  for (let index = messages.length - 1; index > 0; index--) {
    size += JSON.stringify(messages[index]!.parts).length;
    if (size > budget && cut !== undefined) break;
    if (messages[index]!.origin !== 'tools') cut = index;
  }
  const isOnlySummary = cut === 1 && messages[0]!.id.startsWith('summary-');
  return cut === undefined || isOnlySummary ? undefined : cut;
}
