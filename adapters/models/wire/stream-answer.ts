import { headOf } from '@klaus/core/cut-text';
import { StringDecoder } from 'node:string_decoder';
import type { IncomingMessage } from 'node:http';
import type { ModelEvent } from '@klaus/core/agent';
import { createParser } from 'eventsource-parser';
import { ConnectionLost, MalformedResponse, ProviderError } from './errors.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { post, type PostOptions } from './post.ts';

/** Takes the parsed events of one answer, in order. */
export interface AnswerReader {
  /** @throws ProviderError, MalformedResponse. */
  take(event: unknown): Iterable<ModelEvent>;
  /** True once the provider has said that nothing follows. */
  readonly isComplete: boolean;
  /** @throws StreamCut if the answer is incomplete. */
  finish(): ModelEvent;
}

export interface StreamAnswerOptions extends PostOptions {
  /** Called for the response's head and every chunk of its body: keep-alives yield no event. */
  onBytes?: () => void;
}

/** The end marker of a chat-completions stream. */
const DONE = '[DONE]';
/** Bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 1_048_576;

/**
 * Posts a request and reads its event stream. Pieces of text in one chunk are joined, so that a fast stream takes one
 * step per network chunk instead of one per token.
 *
 * @throws ConnectionLost, ProviderError, MalformedResponse, StreamCut, SyntaxError.
 */
export async function* streamAnswer(
  url: string,
  options: StreamAnswerOptions,
  reader: AnswerReader,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { onBytes } = options;
  const incoming = await post(new URL(url), options);
  await checkHead(incoming);
  onBytes?.();
  const decoder = new StringDecoder('utf8');
  const found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => found.push(data) });
  let isDone = false;
  const takeFound = (): ModelEvent[] => {
    const events: ModelEvent[] = [];
    for (const data of found.splice(0)) {
      if (data === DONE) isDone = true;
      else if (!isDone) events.push(...reader.take(JSON.parse(data)));
    }
    return mergeDeltas(events);
  };
  const isEnough = (): boolean => isDone || reader.isComplete;
  for await (const chunk of toChunks(incoming, isEnough)) {
    onBytes?.();
    parser.feed(decoder.write(chunk));
    yield* takeFound();
    if (isEnough()) break;
  }
  // The last event may lack the empty line after it.
  parser.feed('\n\n');
  yield* takeFound();
  yield reader.finish();
}

/**
 * The body's chunks. If the caller stops after the end of the answer, the rest is drained so that the connection can be
 * reused, without keeping the process alive. If it stops earlier, the connection is closed.
 */
async function* toChunks(
  incoming: IncomingMessage,
  isEnough: () => boolean = () => false,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throw new ConnectionLost(error);
  } finally {
    if (isEnough()) letFlowOff(incoming);
    else incoming.destroy();
  }
}

function letFlowOff(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return;
  incoming.on('error', () => {});
  incoming.socket?.unref();
  incoming.resume();
}

/** @throws ProviderError for a status that is no success, MalformedResponse for what is no stream of events. */
async function checkHead(incoming: IncomingMessage): Promise<void> {
  const status = incoming.statusCode ?? 0;
  const isSuccess = status >= 200 && status < 300;
  const type = incoming.headers['content-type'] ?? '';
  if (isSuccess && !/^(?:text\/html|application\/json)\b/i.test(type)) return;
  const text = await readText(incoming);
  if (!isSuccess) throw new ProviderError({ status, headers: incoming.headers, body: toBody(text) });
  const begin = headOf(text, 300);
  throw new MalformedResponse(`The server answered with ${type} where a stream of events was asked for: ${begin}`);
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of toChunks(incoming)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
