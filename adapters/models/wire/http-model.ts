import type { OutgoingHttpHeaders } from 'node:http';
import type { Model, ModelEvent, ModelInfo, ModelRequest, StreamOptions } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { toAnsweredBy } from './answered-by.ts';
import { createCallIds, type ToCallId } from './call-ids.ts';
import { toFailure } from './failure.ts';
import { toRefusal } from './refused-content.ts';
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
  /** Identifies the model and its server. Default: the name and the address. */
  answeredBy?: string;
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
export function createHttpModel(options: HttpModelOptions, wire: ModelWire): Model {
  const { name, info, baseUrl, answeredBy = toAnsweredBy(name, baseUrl) } = options;
  const url = baseUrl.replace(/\/+$/, '') + wire.path;
  return {
    name,
    info,
    answeredBy,
    stream(request, { signal, onBytes, onSent }) {
      const body = wire.writeBody(request, answeredBy);
      const toCallId = createCallIds(request.messages);
      const reader = wire.createReader({ toCallId, promptBytes: lengthOf(body) });
      const post = { headers: wire.headers, body, signal, onBytes, onSent };
      return endWithFailure(streamAnswer(url, post, reader), { signal, tools: request.tools });
    },
  };
}

/**
 * Turns any error of `events` into the one `failed` event that ends a stream.
 *
 * @param options.tools The offered tools, which an error can name.
 * @throws only what is not a failure of provider or network, that is, bugs.
 */
export async function* endWithFailure(
  events: AsyncIterable<ModelEvent>,
  { signal, tools }: Pick<StreamOptions, 'signal'> & Pick<ModelRequest, 'tools'>,
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
    if (failure) {
      const names = tools.map(({ name }) => name);
      return yield {
        type: 'failed',
        failure: { ...failure, ...optional({ refused: toRefusal(error, failure, names) }) },
      };
    }
    if (!signal.aborted) throw error;
  }
  if (!ended) yield { type: 'failed', failure: { code: 'abandoned', message: 'The request was cancelled.' } };
}
