import type { Model } from '@klaus/core/agent';
import { createHttpModel, type HttpModelOptions } from '../wire/http-model.ts';
import { toKeyHeader, type KeySource } from '../wire/key-source.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter, type BodyOptions } from './request-body.ts';
import { SEARCH_TOOL, USD_PER_SEARCH, withSearchResults } from './search.ts';
import { createSearch } from '../wire/search-model.ts';

/** The base URL is without `/v1`. */
export interface AnthropicModelOptions extends HttpModelOptions {
  apiKey: KeySource;
  /** Name of the header with the key; `authorization`: as a bearer token. Default: `x-api-key`. */
  keyHeader?: string;
  dialect: BodyOptions['dialect'];
}

/** Of the wire's shapes. Source: https://docs.claude.com/en/api/versioning */
const API_VERSION = '2023-06-01';

export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { id, info, apiKey, keyHeader = 'x-api-key', dialect } = options;
  const wire = {
    path: '/v1/messages',
    key: apiKey,
    toHeaders: (key: string) => ({ 'anthropic-version': API_VERSION, ...toKeyHeader(key, keyHeader) }),
  };
  return {
    ...createHttpModel(options, {
      ...wire,
      writeBody: createBodyWriter({ id, dialect, info }),
      createReader: createAnswerReader,
    }),
    webSearch: createSearch(options, {
      usd: USD_PER_SEARCH,
      toWire: () => ({
        ...wire,
        writeBody: createBodyWriter({
          ...{ id, info, serverTool: SEARCH_TOOL },
          dialect: { ...dialect, adaptiveThinking: false },
        }),
        createReader: (read) => withSearchResults(createAnswerReader(read), info),
      }),
    }),
  };
}
