import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';

/** One event of a body. */
export interface BodyEvent {
  /** Its line `event:`, or `error` for a line `error:`. Undefined without one. */
  name: string | undefined;
  /** The parsed JSON, or {@link DONE}. For an error, it can be a text. Undefined for what is no JSON. */
  value: unknown;
  /** What is no JSON. */
  invalid?: string;
}

/** The event that ends a chat-completions stream; other servers send it too. */
export const DONE = '[DONE]';

/** Characters of a document that are kept. */
const MAX_DOCUMENT = 32 * 1_048_576;
/** What some servers send in place of a comment. */
const KEEP_ALIVE = /^:?\s*(?:ping|keep-?alive|heartbeat)?\s*$/i;

export interface BodyParser {
  feed(chunk: Uint8Array): BodyEvent[];
  /** The rest of the body: an event without the empty line after it, or a document. */
  end(): BodyEvent[];
  /** Text that belongs to no event. */
  readonly unread: string;
}

/**
 * Reads a body for what it is, not for what its head says: server-sent events, one JSON text a line, or one JSON
 * document. The chunks can end anywhere.
 */
export function createBodyParser(): BodyParser {
  const decoder = new StringDecoder('utf8');
  let found: BodyEvent[] = [];
  /** Lines of a document or a page. */
  const lines: string[] = [];
  let size = 0;
  let line = '';
  const takeLine = (text: string): void => {
    const field = /^error:\s*/.exec(text);
    const value = parse(field ? text.slice(field[0].length) : text);
    if (field && size === 0) found.push({ name: 'error', value: value ?? text.slice(field[0].length) });
    else if (size === 0 && typeof value === 'object' && value !== null) found.push({ name: undefined, value });
    else if (text.trim() === DONE) found.push({ name: undefined, value: DONE });
    else if ((size += text.length + 1) <= MAX_DOCUMENT) lines.push(text);
  };
  const parser = createParser({
    onEvent: ({ event, data }) => addEvents(found, event, data),
    onError: (error) => error.type === 'unknown-field' && takeLine(error.line ?? ''),
  });
  const taken = (): BodyEvent[] => {
    const events = found;
    found = [];
    return events;
  };
  return {
    feed(chunk) {
      const text = decoder.write(chunk);
      // Complete lines only: the parser discards a line that it does not know before the rest of it arrives.
      const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
      if (end === 0) {
        line += text;
        return [];
      }
      parser.feed(line + text.slice(0, end));
      line = text.slice(end);
      return taken();
    },
    end() {
      parser.feed(`${line}${decoder.end()}\n\n`);
      line = '';
      const events = taken();
      const document = size > 0 ? parse(lines.join('\n')) : undefined;
      return document === undefined ? events : [...events, { name: undefined, value: document }];
    },
    get unread() {
      return [...lines, line].join('\n');
    },
  };
}

function addEvents(found: BodyEvent[], name: string | undefined, data: string): void {
  const value = parse(data);
  if (value !== undefined) return void found.push({ name, value });
  const text = data.trim();
  if (text === DONE) return void found.push({ name, value: DONE });
  if (name === 'error') return void found.push({ name, value: text });
  if (KEEP_ALIVE.test(text)) return;
  // Some servers leave out the empty line between two events.
  const several = text.split('\n');
  if (several.length === 1) found.push({ name, value: undefined, invalid: text });
  else for (const each of several) addEvents(found, name, each);
}

/** Undefined for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
