import type { Model, ModelSearch } from '@klaus/core/agent';
import type { ModelDialect, ServerFamily } from '@klaus/core/protocol';
import { findFamily } from '../dialect/find-dialect.ts';
import { createHttpModel, type HttpModelOptions, type ModelWire, type ReadOptions } from '../wire/http-model.ts';
import { toKeyHeader, type KeySource } from '../wire/key-source.ts';
import { createSearch } from '../wire/search-model.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter } from './request-body.ts';
import { createResponsesBodyWriter, type ResponsesBodyOptions } from './responses-body.ts';
import { createResponseReader } from './responses-stream.ts';
import {
  OPENROUTER_SEARCH,
  OPENROUTER_USD,
  RESPONSES_SEARCH,
  USD_PER_SEARCH,
  withChatSources,
  withResponsesSources,
} from './search.ts';

/** The base URL is with `/v1` or its equivalent. */
interface ServerOptions extends HttpModelOptions {
  /** Any text for a server that needs none. */
  apiKey: KeySource;
  /** Name of the header with the key. Default: `authorization`, as a bearer token. */
  keyHeader?: string;
  dialect: ModelDialect;
  /** The service, which decides about its search and its prices. Default: one without either. */
  family?: ServerFamily;
}

type ResponsesOptions = Omit<ServerOptions, 'dialect' | 'family'> & Pick<ResponsesBodyOptions, 'dialect'>;

/** A model behind a chat-completions API: OpenAI, OpenRouter or any compatible server. */
export function createOpenaiModel(options: ServerOptions): Model {
  const { id, info, dialect, family } = options;
  const wire = { path: '/chat/completions', ...toKeyHeaders(options) };
  const createReader = (read: ReadOptions) => createAnswerReader({ ...read, exactCost: family === 'openrouter' });
  return {
    ...createHttpModel(options, { ...wire, writeBody: createBodyWriter({ id, dialect, info }), createReader }),
    // OpenAI's search is on Responses for all of its models. Other servers have none.
    ...(family === 'openai' && { webSearch: createResponsesSearch(options) }),
    ...(family === 'openrouter' && {
      webSearch: createSearch(options, {
        usd: OPENROUTER_USD,
        toWire: () => ({
          ...wire,
          writeBody: createBodyWriter({ id, dialect, info, serverTool: OPENROUTER_SEARCH }),
          createReader: (read) => withChatSources(createReader(read), info),
        }),
      }),
    }),
  };
}

/**
 * A model behind OpenAI's Responses API, for models that reason only there. Nothing is stored at the provider: every
 * request contains its complete history, with the reasoning as the provider encrypted it.
 */
export function createResponsesModel(options: ResponsesOptions): Model {
  const { id, info, dialect } = options;
  return {
    ...createHttpModel(options, {
      ...toResponsesWire(options),
      writeBody: createResponsesBodyWriter({ id, info, dialect }),
      createReader: createResponseReader,
    }),
    webSearch: createResponsesSearch(options),
  };
}

function createResponsesSearch(options: ResponsesOptions): ModelSearch {
  const { id, info, dialect } = options;
  return createSearch(options, {
    usd: USD_PER_SEARCH,
    toWire: () => ({
      ...toResponsesWire(options),
      writeBody: createResponsesBodyWriter({ id, info, dialect, fields: RESPONSES_SEARCH }),
      createReader: (read) => withResponsesSources(createResponseReader(read), info),
    }),
  });
}

function toResponsesWire(options: ResponsesOptions) {
  return { path: '/responses', ...toKeyHeaders(options) };
}

/** The variables that name whom a request is charged to are meant for OpenAI alone. */
function toKeyHeaders({
  apiKey,
  keyHeader,
  baseUrl,
}: Omit<ServerOptions, 'dialect'>): Pick<ModelWire, 'key' | 'toHeaders'> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env;
  const isOpenai = baseUrl.startsWith('https:') && findFamily(baseUrl) === 'openai';
  return {
    key: apiKey,
    toHeaders: (key) => ({
      ...toKeyHeader(key, keyHeader),
      ...(isOpenai && organization ? { 'openai-organization': organization } : {}),
      ...(isOpenai && project ? { 'openai-project': project } : {}),
    }),
  };
}
