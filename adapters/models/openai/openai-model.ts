import type { Model, ModelSearch } from '@klaus/core/agent';
import { createHttpModel, type HttpModelOptions, type ReadOptions } from '../wire/http-model.ts';
import { createSearch } from '../wire/search-model.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter, type Dialect } from './request-body.ts';
import { createResponsesBodyWriter } from './responses-body.ts';
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
  /** Sent as a bearer token; any text for a server that needs none. */
  apiKey: string;
}

/** A model behind a chat-completions API: OpenAI, OpenRouter or any compatible server. */
export function createOpenaiModel(options: ServerOptions & { dialect: Dialect }): Model {
  const { id, info, apiKey, dialect } = options;
  const wire = { path: '/chat/completions', headers: toHeaders(apiKey, dialect === 'openai') };
  const createReader = (read: ReadOptions) => createAnswerReader({ ...read, exactCost: dialect === 'openrouter' });
  return {
    ...createHttpModel(options, { ...wire, writeBody: createBodyWriter({ id, dialect, info }), createReader }),
    // OpenAI's search is on Responses for all of its models. Other servers have none.
    ...(dialect === 'openai' && { webSearch: createResponsesSearch({ ...options, isOpenai: true }) }),
    ...(dialect === 'openrouter' && {
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

interface ResponsesOptions extends ServerOptions {
  /** Whether the server is OpenAI's own. */
  isOpenai: boolean;
}

/**
 * A model behind OpenAI's Responses API, for models that reason only there. Nothing is stored at the provider: every
 * request contains its complete history, with the reasoning as the provider encrypted it.
 */
export function createResponsesModel(options: ResponsesOptions): Model {
  const { id, info } = options;
  return {
    ...createHttpModel(options, {
      ...toResponsesWire(options),
      writeBody: createResponsesBodyWriter({ id, info }),
      createReader: createResponseReader,
    }),
    webSearch: createResponsesSearch(options),
  };
}

function createResponsesSearch(options: ResponsesOptions): ModelSearch {
  const { id, info } = options;
  return createSearch(options, {
    usd: USD_PER_SEARCH,
    toWire: () => ({
      ...toResponsesWire(options),
      writeBody: createResponsesBodyWriter({ id, info, fields: RESPONSES_SEARCH }),
      createReader: (read) => withResponsesSources(createResponseReader(read), info),
    }),
  });
}

function toResponsesWire({ apiKey, isOpenai }: ResponsesOptions) {
  return { path: '/responses', headers: toHeaders(apiKey, isOpenai) };
}

/** The variables that name whom a request is charged to are meant for OpenAI alone. */
function toHeaders(apiKey: string, isOpenai: boolean): Record<string, string> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env;
  return {
    authorization: `Bearer ${apiKey}`,
    ...(isOpenai && organization ? { 'openai-organization': organization } : {}),
    ...(isOpenai && project ? { 'openai-project': project } : {}),
  };
}
