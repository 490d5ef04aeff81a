import type { Model, ModelInfo } from '@klaus/core/agent';
import { endWithFailure } from '../wire/answer.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { streamAnswer } from '../wire/stream-answer.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter } from './request-body.ts';

export interface AnthropicModelOptions {
  /** Full name, such as `anthropic/claude-sonnet-5-5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Sent as `x-api-key`. One of the two is needed. */
  apiKey?: string | undefined;
  /** Sent as a bearer token; used when there is no `apiKey`. */
  authToken?: string | undefined;
  /** Without `/v1`. */
  baseUrl: string;
  /** Default false. */
  adaptiveThinking?: boolean | undefined;
}

/** Of the wire's shapes. Source: https://docs.claude.com/en/api/versioning */
const API_VERSION = '2023-06-01';

/**
 * A model behind the Anthropic Messages API. It neither retries nor times out: the loop does, in one place for
 * every provider.
 */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { name, id, info, apiKey, authToken, baseUrl, adaptiveThinking = false } = options;
  const writeBody = createBodyWriter({ id, adaptiveThinking, images: info.images });
  const isBearer = !apiKey && authToken !== undefined;
  const headers = {
    'anthropic-version': API_VERSION,
    ...(isBearer ? { authorization: `Bearer ${authToken}` } : { 'x-api-key': apiKey ?? '' }),
  };
  return {
    name,
    info,
    stream(request, { signal, onBytes, onSent }) {
      const reader = createAnswerReader(createCallIds(request.messages));
      const post = { headers, body: writeBody(request), signal, onBytes, onSent };
      return endWithFailure(streamAnswer(`${baseUrl.replace(/\/+$/, '')}/v1/messages`, post, reader), { signal });
    },
  };
}
