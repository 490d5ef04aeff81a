import type { Model, ModelInfo } from '@klaus/core/agent';
import { endWithFailure } from '../wire/answer.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { lengthOf } from '../wire/post.ts';
import { streamAnswer } from '../wire/stream-answer.ts';
import { createAnswerReader } from './answer-stream.ts';
import { toHeaders } from './headers.ts';
import { createBodyWriter, type Dialect } from './request-body.ts';

export interface OpenaiModelOptions {
  /** Full name, such as `openrouter/anthropic/claude-opus-5.5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Sent as a bearer token; any text for a server that needs none. */
  apiKey: string;
  /** With `/v1` or its equivalent. */
  baseUrl: string;
  dialect: Dialect;
}

/**
 * A model behind a chat-completions API: OpenAI, OpenRouter or any compatible server. See
 * `createResponsesModel` for models of OpenAI that reason only on Responses. It neither retries nor
 * times out: the loop does, in one place for every provider.
 */
export function createOpenaiModel(options: OpenaiModelOptions): Model {
  const { name, id, info, apiKey, baseUrl, dialect } = options;
  const writeBody = createBodyWriter({ id, dialect, images: info.images });
  const headers = toHeaders(apiKey, dialect === 'openai');
  return {
    name,
    info,
    stream(request, { signal, onBytes, onSent }) {
      const body = writeBody(request);
      const toCallId = createCallIds(request.messages);
      const reader = createAnswerReader({
        toCallId,
        promptBytes: lengthOf(body),
        exactCost: dialect === 'openrouter',
      });
      const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
      return endWithFailure(streamAnswer(url, { headers, body, signal, onBytes, onSent }, reader), { signal });
    },
  };
}
