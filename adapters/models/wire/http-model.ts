import type { OutgoingHttpHeaders } from 'node:http';
import type { Model, ModelEvent, ModelInfo, StreamOptions } from '@klaus/core/agent';
import { createCallIds, type ToCallId } from './call-ids.ts';
import { toFailure } from './failure.ts';
import { lengthOf } from './post.ts';
import type { RequestWriter } from './request-writer.ts';
import type { AnswerReader } from './answer-feed.ts';
import { streamAnswer } from './stream-answer.ts';

export interface HttpModelOptions {
  /** Full name, such as `anthropic/claude-sonnet-5-5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  baseUrl: string;
}

export interface ReadOptions {
  toCallId: ToCallId;
  /** Bytes of the request, to count tokens by when the server sends no usage. */
  promptBytes: number;
}

/** The format of an API. */
export interface ModelWire {
  /** Of the requests, below the base URL. */
  path: string;
  headers: OutgoingHttpHeaders;
  writeBody: RequestWriter;
  createReader: (options: ReadOptions) => AnswerReader;
}

/** A model behind an API. It neither retries nor times out: the loop does, in one place for every provider. */
export function createHttpModel({ name, info, baseUrl }: HttpModelOptions, wire: ModelWire): Model {
  const url = baseUrl.replace(/\/+$/, '') + wire.path;
  return {
    name,
    info,
    stream(request, { signal, onBytes, onSent }) {
      const body = wire.writeBody(request);
      const toCallId = createCallIds(request.messages);
      const reader = wire.createReader({ toCallId, promptBytes: lengthOf(body) });
      const post = { headers: wire.headers, body, signal, onBytes, onSent };
      return endWithFailure(streamAnswer(url, post, reader), { signal });
    },
  };
}

/**
 * Turns any error of `events` into the one `failed` event that ends a stream.
 *
 * @throws only what is not a failure of provider or network, that is, bugs.
 */
export async function* endWithFailure(
  events: AsyncIterable<ModelEvent>,
  { signal }: StreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  let ended = false;
  try {
    for await (const event of events) {
      ended = event.type === 'finished' || event.type === 'failed';
      yield event;
    }
  } catch (error) {
    // An error after an abort is the abort, in one of many forms.
    const failure = signal.aborted ? undefined : toFailure(error, Date.now());
    if (failure) return yield { type: 'failed', failure };
    if (!signal.aborted) throw error;
  }
  if (!ended) yield { type: 'failed', failure: { code: 'abandoned', message: 'The request was cancelled.' } };
}
