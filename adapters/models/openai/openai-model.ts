import type { Model } from '@klaus/core/agent';
import { createHttpModel, type HttpModelOptions } from '../wire/http-model.ts';
import { createAnswerReader } from './answer-stream.ts';
import { createBodyWriter, type Dialect } from './request-body.ts';
import { createResponsesBodyWriter } from './responses-body.ts';
import { createResponseReader } from './responses-stream.ts';

/** The base URL is with `/v1` or its equivalent. */
interface ServerOptions extends HttpModelOptions {
  /** Sent as a bearer token; any text for a server that needs none. */
  apiKey: string;
}

/** A model behind a chat-completions API: OpenAI, OpenRouter or any compatible server. */
export function createOpenaiModel(options: ServerOptions & { dialect: Dialect }): Model {
  const { id, info, apiKey, dialect } = options;
  return createHttpModel(options, {
    path: '/chat/completions',
    headers: toHeaders(apiKey, dialect === 'openai'),
    writeBody: createBodyWriter({ id, dialect, info }),
    createReader: (read) => createAnswerReader({ ...read, exactCost: dialect === 'openrouter' }),
  });
}

/**
 * A model behind OpenAI's Responses API, for models that reason only there. Nothing is stored at the provider: every
 * request contains its complete history, with the reasoning as the provider encrypted it.
 *
 * @param options.isOpenai Whether the server is OpenAI's own.
 */
export function createResponsesModel(options: ServerOptions & { isOpenai: boolean }): Model {
  const { id, info, apiKey, isOpenai } = options;
  return createHttpModel(options, {
    path: '/responses',
    headers: toHeaders(apiKey, isOpenai),
    writeBody: createResponsesBodyWriter({ id, info }),
    createReader: createResponseReader,
  });
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
