import type { EventBody, Message } from '../../protocol/index.ts';
import { isPinMessage } from '../context/pins.ts';
import { isTodoMessage } from '../context/todos.ts';
import type { Model, ModelFailure, ModelRequest, Refusal } from '../ports/model.ts';
import { runOf, type State } from '../state/state.ts';
import { listLeft } from './leave-out.ts';
import { isRefused } from './model-refusals.ts';

type Refused = Extract<EventBody, { type: 'content.refused' }>;
type Cause = Pick<Refused, 'kind' | 'messages' | 'tool' | 'isTrial'>;

/**
 * What the next request leaves out after a refused one, and a notice for the user. Nothing if nothing more can be left
 * out: then the run fails.
 *
 * If the error names content, it is left out at once. For any other refusal the second one in a row leaves out what was
 * added since the last accepted request, and the third one all that precedes the last prompt, so that no session is
 * unusable. Such a trial remains only if its request is accepted.
 */
export function judgeRefusal(
  state: State,
  { model, request, failure }: { model: Model; request: ModelRequest; failure: ModelFailure },
): EventBody[] {
  const run = runOf(state).id;
  const cause =
    (failure.refused && toKnownCause(state, { model, request, refusal: failure.refused })) ??
    toUnknownCause(state, { model, failure });
  if (!cause) return [];
  const { name, answeredBy: refusedBy } = model;
  return [
    { type: 'content.refused', run, turn: state.turn, model: name, ...(refusedBy && { refusedBy }), ...cause },
    { type: 'notice', run, level: 'warn', text: `${name} refused the request: ${failure.message} ${toText(cause)}` },
  ];
}

const TEXTS: Readonly<Record<Refused['kind'], string>> = {
  image: 'Images are left out.',
  state: 'Its earlier reasoning is left out.',
  calls: 'Earlier calls and results are sent as text.',
  tool: 'The tool is not offered.',
  message: 'What was added since the last accepted request is left out.',
};

function toText({ kind, tool }: Cause): string {
  return tool === undefined ? TEXTS[kind] : `The tool ${tool} is not offered.`;
}

function toKnownCause(
  state: State,
  { model, request, refusal }: { model: Model; request: ModelRequest; refusal: Refusal },
): Cause | undefined {
  const { messages, tools } = request;
  switch (refusal.kind) {
    case 'tool':
      return tools.some(({ name }) => name === refusal.tool) ? { kind: 'tool', tool: refusal.tool } : undefined;
    case 'calls': {
      const ids = messages.filter(({ parts }) => parts.some(isCallOrResult)).map(({ id }) => id);
      return ids.length > 0 ? { kind: 'calls', messages: ids } : undefined;
    }
    case 'image':
    case 'state': {
      const has = refusal.kind === 'image' ? hasImage : hasState;
      const found = messages.filter(has);
      if (found.length === 0) return undefined;
      if (refusal.isKind) return { kind: refusal.kind };
      // What it accepted before is not the cause.
      const added = listAdded(messages, state.refusals.get(model.name)?.accepted).filter(has);
      return { kind: refusal.kind, messages: (added.length > 0 ? added : found).map(({ id }) => id) };
    }
  }
}

function toUnknownCause(state: State, { model, failure }: { model: Model; failure: ModelFailure }): Cause | undefined {
  const { code: outcome, status, cause } = failure;
  if (!isRefused({ outcome, status, cause })) return undefined;
  const { inARow = 0, accepted } = state.refusals.get(model.name) ?? {};
  if (inARow === 0) return undefined;
  // A compaction is made first.
  if (failure.code === 'context_window' && !runOf(state).compacted && inARow === 1) return undefined;
  const added = toTrial(listAdded(state.messages, accepted).filter((message) => !isBasis(message)));
  // The server does not accept what it accepted before, such as another one behind the same address.
  const all = toTrial(state.messages);
  const trial = listLeft(state, model).find(({ isTrial }) => isTrial);
  if (!trial) return (inARow === 1 ? added : undefined) ?? all;
  return inARow === 2 && all?.messages?.length !== trial.messages?.length ? all : undefined;
}

/** Leaves out what precedes the last prompt; if that is nothing, the attachments of the prompt. */
function toTrial(messages: readonly Message[]): Cause | undefined {
  const at = messages.findLastIndex(({ origin }) => origin === 'user' || origin === 'steer');
  const before = at < 0 ? messages : messages.slice(0, at);
  if (before.length > 0) return { kind: 'message', messages: before.map(({ id }) => id), isTrial: true };
  const prompt = messages[at];
  return prompt && hasImage(prompt) ? { kind: 'image', messages: [prompt.id], isTrial: true } : undefined;
}

/** The messages after the last one of the last accepted request; all if there was none or a compaction replaced it. */
function listAdded(messages: readonly Message[], accepted: string | undefined): readonly Message[] {
  return messages.slice(messages.findIndex(({ id }) => id === accepted) + 1);
}

/** Text that the engine adds for all of the session. */
function isBasis(message: Message): boolean {
  return (
    message.origin === 'context' || message.id.startsWith('summary-') || isPinMessage(message) || isTodoMessage(message)
  );
}

/** True for content that only some servers accept. */
function hasImage({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'image' || (part.type === 'file' && part.text === undefined));
}

function hasState({ parts }: Message): boolean {
  return parts.some(
    (part) =>
      (part.type === 'thinking' && (part.signature ?? part.encrypted) !== undefined) ||
      ((part.type === 'thinking' || part.type === 'text' || part.type === 'call') && part.providerState !== undefined),
  );
}

function isCallOrResult({ type }: Message['parts'][number]): boolean {
  return type === 'call' || type === 'result';
}
