import type { OutgoingHttpHeaders } from 'node:http';
import type { Model, ModelEvent, ModelInfo, StreamOptions } from '@klaus/core/agent';
import { classifyAddress } from '@klaus/core/network-address';
import { createCallIds, type ToCallId } from './call-ids.ts';
import { toFailure } from './failure.ts';
import { lengthOf } from './post.ts';
import type { RequestWriter } from './request-writer.ts';
import { streamAnswer, type AnswerReader } from './stream-answer.ts';
import { createUsageCheck, toSentRequest } from './usage-check.ts';

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
}

/** The format of an API. */
export interface ModelWire {
  /** Of the requests, below the base URL. */
  path: string;
  headers: OutgoingHttpHeaders;
  writeBody: RequestWriter;
  createReader: (options: ReadOptions) => AnswerReader;
  /** True if the provider adds text of its own to the prompt. Default false. */
  isExtended?: boolean;
}

/** A model behind an API. It neither retries nor times out: the loop does, in one place for every provider. */
export function createHttpModel({ name, info, baseUrl }: HttpModelOptions, wire: ModelWire): Model {
  const url = baseUrl.replace(/\/+$/, '') + wire.path;
  return {
    name,
    info,
    ...locate(url),
    stream(request, { signal, onBytes, onSent }) {
      const body = wire.writeBody(request);
      const reader = wire.createReader({ toCallId: createCallIds(request.messages) });
      const post = { headers: wire.headers, body, signal, onBytes, onSent };
      const sent = { ...toSentRequest(request, lengthOf(body)), isExtended: wire.isExtended };
      return withCheckedUsage(
        endWithFailure(streamAnswer(url, post, reader), { signal }),
        createUsageCheck(sent, info),
      );
    },
  };
}

/** Where the server of a URL is, for a {@link Model}. */
export function locate(url: string | undefined): Pick<Model, 'server' | 'isLocal'> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { origin, hostname } = new URL(url);
  return { server: origin, isLocal: isLocalHost(hostname.replace(/^\[|\]$/g, '')) };
}

/** A name without a dot is one of the own network, such as `localhost` or that of a container. */
function isLocalHost(host: string): boolean {
  if (!/^[\d.]+$|:/.test(host))
    return !host.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/i.test(host);
  return classifyAddress(host) !== 'public';
}

export async function* withCheckedUsage(
  events: AsyncIterable<ModelEvent>,
  check: (event: ModelEvent) => ModelEvent,
): AsyncGenerator<ModelEvent, void, undefined> {
  for await (const event of events) yield check(event);
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
