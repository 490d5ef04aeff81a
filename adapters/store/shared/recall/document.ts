import { toCalled, type BlobRef, type Event, type Part } from '@klaus/core/protocol';

/** The text of one record: a message, a call or a result. */
export interface RecordText {
  turn: number;
  title: string;
  /** The call whose result it is. */
  call?: string;
  text: string;
  /** The blob with the complete text, if `text` is only a part of it. */
  blob?: BlobRef;
}

/** Results of these tools are copies of other parts of the log or the request. */
const COPIES: ReadonlySet<string> = new Set(['recall', 'tool_search']);

/**
 * The searchable text of an event; undefined for one without. The same event always has the same text, because chunks are
 * stored as positions in it.
 */
export function toRecordText(event: Event): RecordText | undefined {
  if (event.type === 'tool.finished') {
    if (COPIES.has(event.name)) return undefined;
    const { turn, name, call, output: text, blob } = event;
    return { turn, title: `result of ${name}`, call, text, blob };
  }
  if (event.type === 'context.pinned') return { turn: event.turn, title: 'pinned by the user', text: event.text };
  if (event.type !== 'message.added') return undefined;
  const { origin, parts } = event.message;
  // Context files are never removed from the context, and messages of the engine contain no information.
  if (origin === 'context' || origin === 'engine') return undefined;
  const text = parts.flatMap(toPartText).join('\n\n');
  if (text === '') return undefined;
  return { turn: event.turn, title: origin === 'model' ? 'the assistant' : 'the user', text };
}

function toPartText(part: Part): string[] {
  if (part.type === 'text') return part.text === '' ? [] : [part.text];
  if (part.type === 'file') return part.text === undefined ? [] : [`File ${part.name}:\n${part.text}`];
  if (part.type !== 'call') return [];
  const { name, input } = toCalled(part);
  return COPIES.has(name) ? [] : [`Call ${name}:\n${toInputText(input)}`];
}

/** An input as lines, so that its texts contain no escapes. */
function toInputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return JSON.stringify(input) ?? '';
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${toInputText(value)}`)
    .join('\n');
}

/** The complete text of a record. @param bytes Its blob, if the log contains only a part of it. */
export function toComplete(record: RecordText, bytes: Uint8Array | undefined): string {
  return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : record.text;
}

/** Characters, or bytes of a blob, from which on a text is scanned by searches instead of indexed. */
const LARGE = 400_000;

/** Characters of a record, or bytes of its blob. */
export function toSize({ blob, text }: RecordText): number {
  return blob?.size ?? text.length;
}

/** True for a text that is too long for the index. */
export function isLarge(record: RecordText): boolean {
  return toSize(record) > LARGE;
}
