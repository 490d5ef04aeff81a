import type { ModelRequest } from '@klaus/core/agent';
import { toWellFormedJson, type FilePart, type Message } from '@klaus/core/protocol';
import { adaptFields, adaptRole, type Adaptation } from '../adaptation/adaptation.ts';
import { toReplayed } from './replayed-message.ts';

type Role = Message['role'];

/** What differs from the format of a body. It is the same object until something changes. */
export interface BodyShape {
  /** What the server has refused. */
  adaptations: readonly Adaptation[];
  /** Further fields, which replace those of the format. */
  fields?: Readonly<Record<string, unknown>>;
  /** The model and server that get it, always the same. Default: unknown, which gets only state of unknown origin. */
  answeredBy?: string;
}

/** Returns the pieces of a body. */
export type RequestWriter = (request: ModelRequest, shape?: BodyShape) => Uint8Array[];

const AS_IT_IS: BodyShape = { adaptations: [] };

/** The format of request bodies: an object whose fields surround the list of messages. */
export interface BodyFormat {
  /** The name of the list. */
  list: string;
  /** Fields before the list. They depend on the model, the system prompt and the tools only. */
  toHead: (request: ModelRequest) => object;
  /** An item before the messages, which depends on the same. */
  toFirstItem?: (request: ModelRequest) => object | undefined;
  /** The parts of a message in the list; none for a message that is left out. */
  toItems: (message: Message) => object[];
  /** The text before a message of role `next` when `previous` was the last one written. Default: a comma between them. */
  join?: (previous: Role | undefined, next: Role) => string;
  /** The text behind the last message. Default: none. */
  end?: string;
  /** Fields after the list. */
  toTail: (request: ModelRequest) => object;
}

/**
 * Writes request bodies as bytes. The fields of the head and the history come first and in this order, so that each body
 * of a session begins with the complete previous one up to its last message; what varies follows.
 */
export function createRequestWriter(format: BodyFormat): RequestWriter {
  const writeHistory = createHistory(format);
  let head:
    | (Pick<ModelRequest, 'system' | 'tools'> & { isEmpty: boolean; shape: BodyShape; bytes: Buffer })
    | undefined;
  return (request, shape = AS_IT_IS) => {
    const { system, tools } = request;
    const { bytes, isEmpty } = writeHistory(request.messages, shape.answeredBy);
    if (head?.system !== system || head.tools !== tools || head.isEmpty !== isEmpty || head.shape !== shape) {
      head = { system, tools, isEmpty, shape, bytes: Buffer.from(toBegin(request, format, { isEmpty, shape })) };
    }
    const end = isEmpty ? '' : (format.end ?? '');
    const tail = { ...adaptFields(format.toTail(request), shape.adaptations), ...shape.fields };
    return [head.bytes, bytes, Buffer.from(`${end}],${toWellFormedJson(tail).slice(1)}`)];
  };
}

function toBegin(
  request: ModelRequest,
  { list, toHead, toFirstItem }: BodyFormat,
  { isEmpty, shape: { adaptations, fields = {} } }: { isEmpty: boolean; shape: BodyShape },
): string {
  const first = toFirstItem?.(request);
  const item = first ? `${toWellFormedJson(adaptRole(first, adaptations))}${isEmpty ? '' : ','}` : '';
  const head = Object.entries(adaptFields(toHead(request), adaptations)).filter(([name]) => !(name in fields));
  return `${toWellFormedJson(Object.fromEntries(head)).slice(0, -1)},"${list}":[${item}`;
}

interface HistoryBytes {
  /** A view: what was written stays as it is. */
  bytes: Uint8Array;
  /** True when no message was written. */
  isEmpty: boolean;
}

const FIRST_CAPACITY = 16 * 1024;
/** Characters that are written at once. */
const PIECE = 256 * 1024;

/**
 * Writes histories, each message once. Messages are immutable and keep their identity from request to
 * request, so their bytes never change either: that is what keeps the provider's prompt cache warm. A
 * history that continues the one before is that one's bytes with the new messages behind them, so a late
 * turn costs little more than an early one. This is the last step before a request: what a model invented is made valid,
 * and text is made valid Unicode.
 */
function createHistory({
  toItems,
  join = joinByComma,
}: BodyFormat): (messages: readonly Message[], answeredBy: string | undefined) => HistoryBytes {
  let buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  let length = 0;
  let last: Role | undefined;
  // What is written: the first `count` of a list that its owner only appends to.
  let written: { list: readonly Message[]; count: number } = { list: [], count: 0 };

  /** The same list needs no comparison; another one is compared message by message. */
  function continues(messages: readonly Message[]): boolean {
    const { list, count } = written;
    if (messages.length < count) return false;
    if (messages === list) return true;
    for (let at = 0; at < count; at++) if (messages[at] !== list[at]) return false;
    return true;
  }

  function append(text: string): void {
    const size = Buffer.byteLength(text);
    if (length + size > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, length + size));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += buffer.write(text, length);
  }

  return (messages, answeredBy) => {
    if (!continues(messages)) {
      // Another buffer: the bytes of the last history may still be in flight.
      if (length > 0) buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
      length = 0;
      last = undefined;
      written = { list: [], count: 0 };
    }
    let text = '';
    for (let at = written.count; at < messages.length; at++) {
      const message = messages[at]!;
      const items = toItems(toReplayed(message, answeredBy));
      if (items.length === 0) continue;
      text += join(last, message.role) + items.map((item) => toWellFormedJson(item)).join(',');
      last = message.role;
      // In large pieces, because the history of a resumed session is long.
      if (text.length < PIECE) continue;
      append(text);
      text = '';
    }
    append(text);
    written = { list: messages, count: messages.length };
    return { bytes: buffer.subarray(0, length), isEmpty: last === undefined };
  };
}

function joinByComma(previous: Role | undefined): string {
  return previous ? ',' : '';
}

/** An attached file as text for the model. */
export function toDocumentText(part: FilePart): string {
  if (part.text === undefined) {
    return `[File ${part.name} (${part.mediaType}, ${part.blob?.size ?? 0} bytes) is attached but is not text.]`;
  }
  return `<document name=${toWellFormedJson(part.name)}>\n${part.text}\n</document>`;
}

export const NO_IMAGES = '[An image was left out: this model does not see images.]';
