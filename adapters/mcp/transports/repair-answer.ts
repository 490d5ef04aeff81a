import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ServerMessages } from '../messages/server-messages.ts';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';

/** The events of a stream with repaired messages. Events of other names stay as they are. */
export function repairEvents(answer: Response, messages: ServerMessages, onMessage?: () => void): Response {
  if (!answer.ok || !answer.body) return answer;
  let retry: number | undefined;
  const parser = new EventSourceParserStream({ onRetry: (ms) => void (retry = ms) });
  const writer = new TransformStream<{ id?: string; event?: string; data: string }, Uint8Array>({
    transform({ id, event, data }, controller) {
      const head = [
        ...(retry === undefined ? [] : [`retry: ${retry}`]),
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...(event === undefined ? [] : [`event: ${event}`]),
      ];
      retry = undefined;
      const isMessage = data !== '' && (event === undefined || event === 'message');
      const found = isMessage ? readAll(data, messages).map((message) => JSON.stringify(message)) : [data];
      if (isMessage && found.length > 0) onMessage?.();
      // An event without a message still has its id.
      const texts = found.length > 0 ? found : [''];
      const events = texts.map((text) => [...head, ...text.split('\n').map((line) => `data: ${line}`)].join('\n'));
      controller.enqueue(Buffer.from(events.map((each) => `${each}\n\n`).join('')));
    },
  });
  // The last event may lack its empty line.
  const ender = new TransformStream<string, string>({ flush: (controller) => controller.enqueue('\n\n') });
  const text = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(ender);
  const body = text.pipeThrough(parser).pipeThrough(writer);
  return withBody(answer, body, EVENTS_TYPE);
}

/**
 * The answer to a request, in the form that the client of the protocol reads.
 *
 * @param id Of the request; undefined for a notification.
 */
export async function repairAnswer(
  answer: Response,
  { messages, id }: { messages: ServerMessages; id: string | number | undefined },
): Promise<Response> {
  if (!answer.ok || id === undefined) return answer;
  if (toType(answer) === EVENTS_TYPE) return repairEvents(answer, messages);
  const text = await answer.text();
  // Some servers name no type, or another one.
  if (/^\s*(?::|(?:data|event|id|retry):)/.test(text))
    return repairEvents(withBody(answer, text, EVENTS_TYPE), messages);
  const isJson = /^\s*[[{]/.test(text);
  if (!isJson && text.trim() !== '') return withBody(answer, text, toType(answer));
  const found = isJson ? readAll(text, messages) : [];
  const lost = messages.lose(id);
  return withBody(answer, JSON.stringify(lost ? [...found, lost] : found), JSON_TYPE);
}

function readAll(text: string, messages: ServerMessages): unknown[] {
  try {
    return messages.receive(JSON.parse(text));
  } catch {
    return [];
  }
}

function toType(answer: Response): string {
  return answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

function withBody(
  { headers: given, statusText }: Response,
  body: string | ReadableStream<Uint8Array>,
  type: string,
): Response {
  const headers = new Headers(given);
  headers.set('content-type', type);
  headers.delete('content-length');
  return new Response(body, { status: 200, statusText, headers });
}
