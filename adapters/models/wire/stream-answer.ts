import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ModelEvent } from '@klaus/core/agent';
import { createAnswerFeed, type AnswerReader } from './answer-feed.ts';
import { createBodyParser } from './body-parser.ts';
import { decodeBody } from './decode-body.ts';
import { ConnectionLost, MalformedResponse, ProviderError, toBodyError } from '../failure/errors.ts';
import { post, type PostOptions } from './post.ts';

export interface StreamAnswerOptions extends PostOptions {
  /** Called for the head of an answer and every chunk of its body: keep-alives yield no event, and a refusal is none. */
  onBytes?: () => void;
}

/** Bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 1_048_576;
/** Milliseconds in which figures of usage can follow the mark that ends a stream. */
const AFTER_END = 1_000;

/**
 * Posts a request and reads its answer.
 *
 * @throws ConnectionLost, ProviderError, MalformedResponse, StreamCut.
 */
export async function* streamAnswer(
  url: string,
  options: StreamAnswerOptions,
  reader: AnswerReader,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { onBytes } = options;
  const incoming = await post(new URL(url), options);
  const { statusCode: status = 0, headers } = incoming;
  if (status < 200 || status > 299) throw new ProviderError({ status, headers, body: await readError(incoming) });
  onBytes?.();
  const answer = createAnswerFeed(reader);
  const isEnough = (): boolean => reader.isComplete;
  for await (const chunk of toChunks(incoming, { isEnough, isEnded: () => answer.isEnded })) {
    onBytes?.();
    yield* answer.feed(chunk);
    if (isEnough()) break;
  }
  yield* answer.end();
}

interface EndOptions {
  isEnough: () => boolean;
  /** True once an error of the connection is none. */
  isEnded: () => boolean;
}

const READ_ALL: EndOptions = { isEnough: () => false, isEnded: () => false };

/**
 * The decoded chunks of the body. If the caller stops after the end of the answer, the rest is drained so that the
 * connection can be reused, without keeping the process alive. If it stops earlier, the connection is closed.
 */
async function* toChunks(
  incoming: IncomingMessage,
  { isEnough, isEnded } = READ_ALL,
): AsyncGenerator<Buffer, void, undefined> {
  let body: Readable = incoming;
  let timer: NodeJS.Timeout | undefined;
  try {
    body = decodeBody(incoming, incoming.headers);
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield chunk as Buffer;
      // Some servers leave the connection open.
      if (isEnded()) timer ??= setTimeout(() => incoming.destroy(), AFTER_END);
    }
  } catch (error) {
    if (!isEnded()) throw toBodyError(error);
  } finally {
    clearTimeout(timer);
    if (isEnough()) letFlowOff(incoming, body);
    else incoming.destroy();
  }
}

function letFlowOff(incoming: IncomingMessage, body: Readable): void {
  if (incoming.readableEnded) return;
  body.on('error', () => {});
  incoming.on('error', () => {});
  incoming.socket?.unref();
  body.resume();
}

/** The parsed body of an error, or its text: as much of it as can be read, because the status is known. */
async function readError(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of toChunks(incoming)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost || error instanceof MalformedResponse)) throw error;
  }
  const bytes = Buffer.concat(chunks);
  return toFirstValue(bytes) ?? bytes.toString('utf8');
}

/** Some servers send the error of a streamed request as an event. */
function toFirstValue(bytes: Buffer): unknown {
  const parser = createBodyParser();
  return [...parser.feed(bytes), ...parser.end()].find(({ value }) => typeof value === 'object')?.value;
}
