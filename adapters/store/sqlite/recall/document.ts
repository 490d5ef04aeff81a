import { toCalled, type BlobRef, type Event, type Part } from '@klaus/core/protocol';

/** The text of one record: what was said, called or given. */
export interface RecordText {
  turn: number;
  title: string;
  /** The call whose result it is. */
  call?: string;
  text: string;
  /** Where the whole is kept, if `text` is only a part of it. */
  blob?: BlobRef;
}

/** Results of these tools are copies of what stands elsewhere in the log or in the request. */
const COPIES: ReadonlySet<string> = new Set(['recall', 'tool_search']);

/**
 * What of an event can be recalled; undefined for one without text of its own. The same event always gives the
 * same text, because chunks are kept as places in it.
 */
export function toRecordText(event: Event): RecordText | undefined {
  if (event.type === 'tool.finished') {
    if (COPIES.has(event.name)) return undefined;
    const { turn, name, call, output: text, blob } = event;
    return { turn, title: `result of ${name}`, call, text, ...(blob ? { blob } : {}) };
  }
  if (event.type === 'context.pinned') return { turn: event.turn, title: 'pinned by the user', text: event.text };
  if (event.type !== 'message.added') return undefined;
  const { origin, parts } = event.message;
  // Context files and lines of the engine's own are never left out, or say nothing.
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

/** An input as lines, so that the words in its texts stand as they were written. */
function toInputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return JSON.stringify(input) ?? '';
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${toInputText(value)}`)
    .join('\n');
}
