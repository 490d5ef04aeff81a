import type { CallPart, Message, Part } from '@klaus/core/protocol';

/** Names of tools that all providers accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * An answer as it is sent back: the state of another model or server is left out, because that one cannot read it and
 * rejects it, and names that the model invented are made valid. Returns the same message if nothing changes.
 *
 * @param answeredBy The model and server that get it.
 */
export function toReplayed(message: Message, answeredBy: string | undefined): Message {
  if (message.role !== 'assistant') return message;
  const isForeign = message.answeredBy !== undefined && message.answeredBy !== answeredBy;
  const parts = message.parts.map((part) => toValidName(isForeign ? withoutState(part) : part));
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

function withoutState(part: Part): Part {
  if (part.type !== 'thinking' && part.type !== 'text' && part.type !== 'call') return part;
  if (part.type !== 'thinking') {
    const { providerState: _, ...rest } = part;
    return rest;
  }
  return { type: part.type, text: part.text };
}

function toValidName(part: Part): Part {
  if (part.type !== 'call' || NAME.test(part.name)) return part;
  return { ...part, name: toToolName(part.name) } satisfies CallPart;
}

/** A name that all providers accept: itself, if it is valid. */
export function toToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
