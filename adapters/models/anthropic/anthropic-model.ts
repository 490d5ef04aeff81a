import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Model, ModelEvent, ModelInfo, ModelRequest, StreamOptions } from '@klaus/core/agent';
import { endWithFailure } from '../wire/answer.ts';
import { createTappedFetch } from '../wire/tapped-fetch.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { LONGEST_TIMEOUT, toEventStream } from '../wire/event-stream.ts';
import { readAnswer } from './answer-stream.ts';
import { createBodyWriter } from './request-body.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';

export interface AnthropicModelOptions {
  /** Full name, such as `anthropic/claude-sonnet-5-5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Sent as `x-api-key`. One of the two is needed. */
  apiKey?: string;
  /** Sent as a bearer token; used when there is no `apiKey`. */
  authToken?: string;
  /** Without `/v1`. Default {@link ANTHROPIC_URL}. */
  baseUrl?: string;
  /** Default false. */
  adaptiveThinking?: boolean;
}

/**
 * A model behind the Anthropic Messages API. The SDK is loaded with the first request. It neither retries
 * nor logs nor times out: the loop does, in one place for every provider.
 */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { name, id, info, adaptiveThinking = false } = options;
  const writeBody = createBodyWriter({ id, adaptiveThinking, images: info.images });

  async function* request(request: ModelRequest, { signal, onBytes }: StreamOptions): AsyncGenerator<ModelEvent> {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const client = new Anthropic({
      ...(options.apiKey === undefined && options.authToken !== undefined
        ? { authToken: options.authToken, apiKey: null }
        : { apiKey: options.apiKey ?? '', authToken: null }),
      baseURL: options.baseUrl ?? ANTHROPIC_URL,
      fetch: createTappedFetch(onBytes ?? (() => {})),
      maxRetries: 0,
      timeout: LONGEST_TIMEOUT,
      logLevel: 'off',
      openTelemetry: false,
    });
    const events = await toEventStream<RawMessageStreamEvent>(
      client.post('/v1/messages', {
        body: writeBody(request),
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        stream: true,
        signal,
      }),
    );
    yield* readAnswer(events, createCallIds(request.messages));
  }

  return {
    name,
    info,
    stream: (modelRequest, streamOptions) => endWithFailure(request(modelRequest, streamOptions), streamOptions),
  };
}
