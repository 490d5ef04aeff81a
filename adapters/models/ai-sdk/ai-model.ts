import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import {
  toSupported,
  type Model,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type StreamOptions,
} from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { toAnsweredBy } from '../wire/answered-by.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { endWithFailure, locate } from '../wire/http-model.ts';
import { withSearch } from '../wire/search-model.ts';
import { ProviderError } from '../failure/errors.ts';
import { createUsageCheck, toSentRequest, withCheckedUsage } from '../wire/usage-check.ts';
import { createCallAdapter, type CallAdapter } from './call-adapter.ts';
import { createAnswerParts, type AnswerParts } from './answer-parts.ts';
import { toError } from './errors.ts';
import type { LanguageModel, LanguageModelPart } from './language-model.ts';
import { createPromptWriter } from './prompt.ts';
import { createSourceReader, findAiSearch } from './search.ts';
import { runWatched } from './watched-fetch.ts';

export interface AiModelOptions {
  /** Full name, such as `ai/mistral/mistral-large-latest`. */
  name: string;
  info: ModelInfo;
  model: LanguageModel;
  /** Address of the provider's API, if the user has configured one. */
  url?: string;
  /** Receives a line for the user. */
  onNotice?: (text: string) => void;
}

interface Answering {
  tools: readonly NonNullable<LanguageModelV4CallOptions['tools']>[number][];
  /** Default: the parts as they are. */
  wrap?: (parts: AnswerParts) => AnswerParts;
}

/** A model of an AI SDK provider. It neither retries nor times out: the loop does. */
export function createAiModel({ name, info, model, url, onNotice }: AiModelOptions): Model {
  const answeredBy = toAnsweredBy(name, url);
  const adapter = createCallAdapter((part) => onNotice?.(`${name} refused ${part}: it is not sent from now on.`));
  const toPrompt = createPromptWriter(model, { images: info.images, answeredBy });
  const toTools = createToolWriter();
  const stream = (request: ModelRequest, options: StreamOptions, more: Answering): ReturnType<Model['stream']> => {
    const call: LanguageModelV4CallOptions = {
      prompt: toPrompt(request),
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: options.signal,
      ...toSampling(request, info),
      ...(more.tools.length > 0 && { tools: [...more.tools] }),
      providerOptions: toProviderOptions(request),
    };
    const parts = createAnswerParts({ toCallId: createCallIds(request.messages) });
    const sent = { ...toSentRequest(request), isExtended: more.wrap !== undefined };
    const { signal } = options;
    const events = endWithFailure(read(model, { call, options, adapter }, more.wrap?.(parts) ?? parts), {
      signal,
      tools: request.tools,
    });
    return withCheckedUsage(events, createUsageCheck(sent, info));
  };
  const search = findAiSearch(model);
  return {
    name,
    info,
    answeredBy,
    ...locate(url),
    stream: (request, options) => stream(request, options, { tools: toTools(request.tools) }),
    ...(search && {
      webSearch: {
        url: url ?? search.url,
        usd: search.usd,
        stream: (request, options) =>
          stream(request, options, {
            tools: [search.tool],
            wrap: (parts) => withSources(parts, { info, usd: search.usd }),
          }),
      },
    }),
  };
}

function withSources(parts: AnswerParts, { info, usd }: { info: ModelInfo; usd: number }): AnswerParts {
  const reader = createSourceReader();
  return {
    take(part) {
      reader.take(part);
      return parts.take(part);
    },
    finish: () => withSearch(parts.finish(), { info, usd, finish: () => reader.finish() }),
  };
}

interface Sending {
  call: LanguageModelV4CallOptions;
  options: StreamOptions;
  adapter: CallAdapter;
}

async function* read(
  model: LanguageModel,
  sending: Sending,
  parts: AnswerParts,
): AsyncGenerator<ModelEvent, void, undefined> {
  // Not every provider looks at a signal that is already aborted.
  const { options } = sending;
  if (options.signal.aborted) return;
  for await (const part of receive(model, sending)) {
    options.onBytes?.();
    yield* parts.take(part);
  }
  yield parts.finish();
}

/** The parts of the provider's stream. Everything that its code throws is a failure of the provider. */
async function* receive(model: LanguageModel, sending: Sending): AsyncGenerator<LanguageModelPart, void, undefined> {
  try {
    const { stream } = await send(model, sending);
    yield* stream as AsyncIterable<LanguageModelPart>;
  } catch (error) {
    throw toError(error);
  }
}

/** Repeats a call without what the provider refuses, each part once. */
async function send(
  model: LanguageModel,
  { call, options, adapter }: Sending,
): Promise<Awaited<ReturnType<LanguageModel['doStream']>>> {
  for (let watch: StreamOptions = options; ; watch = { ...options, onSent: undefined }) {
    try {
      // The prompt has the form of the model's version, see `createPromptWriter`.
      return await runWatched(watch, () => model.doStream(adapter.adapt(call) as never));
    } catch (thrown) {
      const error = toError(thrown);
      if (!(error instanceof ProviderError) || !adapter.learn(call, error)) throw thrown;
    }
  }
}

function toSampling(
  request: ModelRequest,
  info: ModelInfo,
): Pick<LanguageModelV4CallOptions, 'temperature' | 'reasoning'> {
  const { temperature, effort } = toSupported(request, info);
  return optional({ temperature, reasoning: effort });
}

/**
 * What these providers need to work as their native clients do; others ignore it. Nothing is stored at the provider:
 * every request contains its complete history.
 */
function toProviderOptions({ session }: ModelRequest): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  const responses = { store: false, promptCacheKey: session };
  return { openai: responses, azure: responses, anthropic: { cacheControl: { type: 'ephemeral' } } };
}

/** The tools of a session are one list, which is converted once. */
function createToolWriter(): (tools: ModelRequest['tools']) => LanguageModelV4FunctionTool[] {
  const written = new WeakMap<ModelRequest['tools'], LanguageModelV4FunctionTool[]>();
  return (tools) => {
    const known = written.get(tools);
    if (known) return known;
    const specs = tools.map(({ name, description, inputSchema }): LanguageModelV4FunctionTool => ({
      type: 'function',
      name,
      description,
      inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'],
    }));
    written.set(tools, specs);
    return specs;
  };
}
