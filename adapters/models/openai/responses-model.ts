import type { Model, ModelInfo } from '@klaus/core/agent';
import { endWithFailure } from '../wire/answer.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { lengthOf } from '../wire/post.ts';
import { streamAnswer } from '../wire/stream-answer.ts';
import { toHeaders } from './headers.ts';
import { createResponsesBodyWriter } from './responses-body.ts';
import { createResponseReader } from './responses-stream.ts';

export interface ResponsesModelOptions {
  /** Full name, such as `openai/gpt-6-sol`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Sent as a bearer token; any text for a server that needs none. */
  apiKey: string;
  /** With `/v1` or its equivalent. */
  baseUrl: string;
  /** Whether the server is OpenAI's own. */
  isOpenai: boolean;
}

/**
 * A model behind OpenAI's Responses API, for models that reason only there. Nothing is stored at the provider: every
 * request contains its complete history, with the reasoning as the provider encrypted it.
 */
export function createResponsesModel(options: ResponsesModelOptions): Model {
  const { name, id, info, apiKey, baseUrl, isOpenai } = options;
  const writeBody = createResponsesBodyWriter({ id, images: info.images });
  const headers = toHeaders(apiKey, isOpenai);
  return {
    name,
    info,
    stream(request, { signal, onBytes, onSent }) {
      const body = writeBody(request);
      const reader = createResponseReader({ toCallId: createCallIds(request.messages), promptBytes: lengthOf(body) });
      const url = `${baseUrl.replace(/\/+$/, '')}/responses`;
      return endWithFailure(streamAnswer(url, { headers, body, signal, onBytes, onSent }, reader), { signal });
    },
  };
}
