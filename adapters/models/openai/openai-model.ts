import type { Model, ModelEvent, ModelInfo, ModelRequest, StreamOptions } from '@klaus/core/agent';
import { endWithFailure } from '../wire/answer.ts';
import { createTappedFetch } from '../wire/tapped-fetch.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { LONGEST_TIMEOUT, toEventStream } from '../wire/event-stream.ts';
import { type Chunk, readAnswer } from './answer-stream.ts';
import { createBodyWriter, type Dialect } from './request-body.ts';

export const OPENAI_URL = 'https://api.openai.com/v1';
export const OPENROUTER_URL = 'https://openrouter.ai/api/v1';

export interface OpenaiModelOptions {
  /** Full name, such as `openrouter/anthropic/claude-opus-5.5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Sent as a bearer token; any text for a server that wants none. */
  apiKey: string;
  /** With `/v1` or what stands for it. */
  baseUrl: string;
  dialect: Dialect;
  /** Sent as `reasoning_effort` together with tools. Default: not sent. */
  reasoningEffort?: string;
}

/**
 * A model behind a chat-completions API: OpenAI, OpenRouter or any compatible server. The SDK is loaded
 * with the first request. It neither retries nor logs nor times out: the loop does, in one place for
 * every provider.
 */
export function createOpenaiModel(options: OpenaiModelOptions): Model {
  const { name, id, info, dialect, reasoningEffort } = options;
  const writeBody = createBodyWriter({
    id,
    dialect,
    images: info.images,
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  });

  async function* request(request: ModelRequest, { signal, onBytes }: StreamOptions): AsyncGenerator<ModelEvent> {
    const { OpenAI } = await import('openai');
    const client = new OpenAI({
      apiKey: options.apiKey,
      adminAPIKey: null,
      baseURL: options.baseUrl,
      // Left out, they are read from the environment, which is meant for OpenAI alone.
      ...(dialect !== 'openai' && { organization: null, project: null }),
      fetch: createTappedFetch(onBytes ?? (() => {})),
      maxRetries: 0,
      timeout: LONGEST_TIMEOUT,
      logLevel: 'off',
    });
    const body = writeBody(request);
    const chunks = await toEventStream<Chunk>(
      client.post('/chat/completions', {
        body,
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        stream: true,
        signal,
      }),
    );
    const toCallId = createCallIds(request.messages);
    yield* readAnswer(chunks, { toCallId, promptBytes: body.length, exactCost: dialect === 'openrouter' });
  }

  return {
    name,
    info,
    stream: (modelRequest, streamOptions) => endWithFailure(request(modelRequest, streamOptions), streamOptions),
  };
}
