import { toText, type EventBody, type Message, type UntrustedText, headOf } from '../../protocol/index.ts';
import type { HookEventName } from '../../protocol/settings/hook-settings.ts';
import { toTextMessage } from '../context/engine-message.ts';
import type { Work } from '../loop/work.ts';
import { openedOf, runOf } from '../state/state.ts';
import { toFailedNotice, toRefusedNotice, toTaggedText } from './hook-notice.ts';
import type { Submitted } from './hook-results.ts';
import { chooseHooks, toHookSource } from './hooks.ts';
import { runHook, type HookFields } from './run-hook.ts';

/** Maximum characters of the text that the hooks of one event add to the context. */
const MAX_TEXT = 8_000;
/** How often hooks can keep one session working without a new prompt. */
const MAX_KEPT = 8;
/** Beginning of the id of a message that keeps the model working. */
const KEPT = 'hook-stop:';
/** Name of what the hooks of a start said, among the folders that were searched for instructions. */
const START = '//session-start';

/** The answers of all hooks of an event. */
interface Answers {
  /** For the model. Empty: nothing. */
  context: string;
  /** Why the first hook denied. */
  denied?: string;
  notices: EventBody[];
  /** Present if a text is not of a hook of the user. */
  untrusted?: UntrustedText;
}

/** @param at.isBefore True: a failure denies. */
async function runHooks(
  work: Work,
  event: HookEventName,
  { run, fields, isBefore }: { run: string; fields: HookFields; isBefore: boolean },
): Promise<Answers> {
  const answers: Answers = { context: '', notices: [] };
  const texts: string[] = [];
  for (const one of chooseHooks(work.engine.settings.hooks ?? {}, event)) {
    const answer = await runHook(work, one, { event, fields });
    if (work.stop.aborted) break;
    const source = toHookSource(one);
    const untrusted = source === undefined ? undefined : { source: work.redactor.redact(source) };
    if ('failure' in answer) {
      if (isBefore) return { ...answers, denied: `${one.name} failed: ${answer.failure}` };
      answers.notices.push(toFailedNotice(run, `${one.name}: ${answer.failure}`));
      continue;
    }
    // Without a user to ask, a question is a denial.
    if (answer.decision !== 'none' || answer.context !== '') answers.untrusted ??= untrusted;
    if (answer.decision !== 'none') return { ...answers, denied: `${one.name}: ${answer.reason}` };
    if (answer.context !== '') texts.push(toTaggedText(one, headOf(answer.context, MAX_TEXT)));
  }
  return { ...answers, context: headOf(texts.join('\n'), MAX_TEXT) };
}

/** What the hooks of `SessionStart` say, as one message before the first prompt. */
export async function startByHooks(work: Work, run: string): Promise<EventBody[]> {
  const { state, seenFolders } = work;
  if (seenFolders.has(START) || state.turn > 0) return [];
  seenFolders.add(START);
  const fields = { source: 'startup' };
  const answers = await runHooks(work, 'SessionStart', { run, fields, isBefore: false });
  const { context, notices, denied, untrusted } = answers;
  const text = [context, ...(denied === undefined ? [] : [denied])].filter(Boolean).join('\n');
  if (text === '') return notices;
  const id = `context:${START}`;
  return [toTextMessage({ run, turn: state.turn }, { id, origin: 'context', text, untrusted }), ...notices];
}

/** Runs the hooks of `UserPromptSubmit`. A denial or a failure refuses the prompt. */
export async function submitPrompt(
  work: Work,
  { run, message }: { run: string; message: Message },
): Promise<Submitted> {
  const fields = { prompt: toText(message) };
  const answers = await runHooks(work, 'UserPromptSubmit', { run, fields, isBefore: true });
  const { context, denied, notices, untrusted } = answers;
  if (denied !== undefined) return { refused: denied, notice: toRefusedNotice(run, denied) };
  if (context === '') return { bodies: notices };
  const id = `context://prompt/${message.id}`;
  const said = toTextMessage({ run, turn: work.state.turn }, { id, origin: 'context', text: context, untrusted });
  return { bodies: [said, ...notices] };
}

/** Runs the hooks of `Stop` before a run is done. `continues`: a hook gave the model something more to do. */
export async function keepWorking(work: Work): Promise<{ bodies: EventBody[]; continues: boolean }> {
  const { state, engine } = work;
  const { id: run, trigger } = runOf(state);
  const isMain = openedOf(state).parent === undefined && (trigger === 'prompt' || trigger === 'resume');
  if (!isMain) return { bodies: [], continues: false };
  const since = state.messages.findLastIndex(({ origin }) => origin === 'user' || origin === 'steer');
  const kept = state.messages.slice(since + 1).filter(({ id }) => id.startsWith(KEPT)).length;
  const last = state.messages.findLast(({ role }) => role === 'assistant');
  const fields = { stop_hook_active: kept > 0, last_assistant_message: last ? toText(last) : '' };
  const { denied, notices, untrusted } = await runHooks(work, 'Stop', { run, fields, isBefore: false });
  if (denied === undefined || kept >= MAX_KEPT) return { bodies: notices, continues: false };
  const text = `A hook of the user did not accept the end of the work: ${denied}`;
  const id = `${KEPT}${engine.ids.ulid()}`;
  const message = toTextMessage({ run, turn: state.turn }, { id, origin: 'engine', text, untrusted });
  return { bodies: [...notices, message], continues: true };
}

export function isKeptMessage(event: EventBody): boolean {
  return event.type === 'message.added' && event.message.id.startsWith(KEPT);
}
