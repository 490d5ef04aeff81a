import type { Model } from '@klaus/core/agent';
import { createHttpModel, type HttpModelOptions } from '../wire/http-model.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter } from './request-body.ts';
import { SEARCH_TOOL, USD_PER_SEARCH, withSearchResults } from './search.ts';
import { createSearch } from '../wire/search-model.ts';

/** The base URL is without `/v1`. */
export interface AnthropicModelOptions extends HttpModelOptions {
  /** Sent as `x-api-key`. One of the two is needed. */
  apiKey?: string;
  /** Sent as a bearer token; used when there is no `apiKey`. */
  authToken?: string;
  /** Default false. */
  adaptiveThinking?: boolean;
}

/** Of the wire's shapes. Source: https://docs.claude.com/en/api/versioning */
const API_VERSION = '2023-06-01';

export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { id, info, apiKey, authToken, adaptiveThinking = false } = options;
  const isBearer = !apiKey && authToken !== undefined;
  const wire = {
    path: '/v1/messages',
    headers: {
      'anthropic-version': API_VERSION,
      ...(isBearer ? { authorization: `Bearer ${authToken}` } : { 'x-api-key': apiKey ?? '' }),
    },
  };
  return {
    ...createHttpModel(options, {
      ...wire,
      writeBody: createBodyWriter({ id, adaptiveThinking, info }),
      createReader: createAnswerReader,
    }),
    webSearch: createSearch(options, {
      usd: USD_PER_SEARCH,
      toWire: () => ({
        ...wire,
        writeBody: createBodyWriter({ id, adaptiveThinking: false, info, serverTool: SEARCH_TOOL }),
        createReader: (read) => withSearchResults(createAnswerReader(read), info),
      }),
    }),
  };
}
