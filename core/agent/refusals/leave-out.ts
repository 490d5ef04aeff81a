import { toWellFormedJson, type EventOf, type Message, type Part } from '../../protocol/index.ts';
import type { Model, ModelRequest } from '../ports/model.ts';
import type { State } from '../state/state.ts';

type Refused = EventOf<'content.refused'>;

const NOTE = 'was left out: the server of the model does not accept it.';

type Content = Pick<ModelRequest, 'messages' | 'tools'>;

/**
 * The history and the tools as the server accepts them: what it refused before is left out, with a note in its place.
 * Without refusals they are the same objects.
 */
export type LeaveOut = (state: State, model: Model, content: Content) => Content;

export function createLeaveOut(): LeaveOut {
  // A message keeps its identity from request to request while the same is left out, so that it is converted once.
  let last:
    | { key: string; messages: WeakMap<Message, Message[]>; tools?: [Content['tools'], Content['tools']] }
    | undefined;
  return (state, model, { messages, tools }) => {
    const left = listLeft(state, model);
    if (left.length === 0) return { messages, tools };
    const key = left.map(({ seq }) => seq).join();
    if (last?.key !== key) last = { key, messages: new WeakMap() };
    const names = new Set(left.map(({ tool }) => tool));
    if (last.tools?.[0] !== tools) last.tools = [tools, tools.filter(({ name }) => !names.has(name))];
    const { messages: reduced } = last;
    const remaining = messages.flatMap((message) => {
      const known = reduced.get(message) ?? left.reduce<Message[]>(reduceMessages, [message]);
      reduced.set(message, known);
      return known;
    });
    return { messages: remaining, tools: last.tools[1] };
  };
}

/** What requests to a model leave out. A server that replaced another one behind the same name is asked again. */
export function listLeft({ refusals }: State, { name, answeredBy }: Model): Refused[] {
  return (refusals.get(name)?.left ?? []).filter(
    ({ refusedBy }) => refusedBy === undefined || answeredBy === undefined || refusedBy === answeredBy,
  );
}

/** The messages after what `refused` concerns was left out. */
function reduceMessages(messages: readonly Message[], refused: Refused): Message[] {
  const { kind, messages: ids } = refused;
  return messages.flatMap((message) => {
    if (ids && !ids.includes(message.id)) return [message];
    if (kind === 'tool') return [message];
    if (kind === 'message') return ids?.[0] === message.id ? [toNote(message)] : [];
    return [{ ...message, parts: message.parts.map((part) => reducePart(part, kind)) }];
  });
}

function toNote({ id }: Message): Message {
  const text = `[A part of the conversation ${NOTE}]`;
  return { id, role: 'user', origin: 'engine', parts: [{ type: 'text', text }] };
}

function reducePart(part: Part, kind: 'image' | 'state' | 'calls'): Part {
  switch (kind) {
    case 'image':
      if (part.type === 'image') return { type: 'text', text: `[An image ${NOTE}]` };
      if (part.type !== 'file' || part.text !== undefined) return part;
      return { type: 'text', text: `[The file ${part.name} ${NOTE}]` };
    case 'state':
      return withoutState(part);
    case 'calls':
      if (part.type === 'call')
        return { type: 'text', text: `[Called ${part.name} ${toWellFormedJson(part.input ?? {})}]` };
      if (part.type !== 'result') return withoutState(part);
      return { type: 'text', text: `[${part.isError ? 'Error' : 'Result'}]\n${part.text}` };
  }
}

function withoutState(part: Part): Part {
  if (part.type === 'thinking') return { type: 'thinking', text: part.text };
  if (part.type !== 'text' && part.type !== 'call') return part;
  const { providerState: _, ...rest } = part;
  return rest;
}
