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
import { createCallIds } from '../wire/call-ids.ts';
import { endWithFailure } from '../wire/http-model.ts';
import { createAnswerParts, type AnswerParts } from './answer-parts.ts';
import { toError } from './errors.ts';
import type { LanguageModel, LanguageModelPart } from './language-model.ts';
import { createPromptWriter } from './prompt.ts';
import { runWatched } from './watched-fetch.ts';

export interface AiModelOptions {
  /** Full name, such as `ai/mistral/mistral-large-latest`. */
  name: string;
  info: ModelInfo;
  model: LanguageModel;
}

/** A model of an AI SDK provider. It neither retries nor times out: the loop does. */
export function createAiModel({ name, info, model }: AiModelOptions): Model {
  const toPrompt = createPromptWriter(model, info.images);
  const toTools = createToolWriter();
  return {
    name,
    info,
    stream(request, options) {
      const prompt = toPrompt(request);
      const call: LanguageModelV4CallOptions = {
        prompt,
        maxOutputTokens: request.maxOutputTokens,
        abortSignal: options.signal,
        ...toSampling(request, info),
        ...(request.tools.length > 0 && { tools: toTools(request.tools) }),
        providerOptions: toProviderOptions(request),
      };
      const parts = createAnswerParts({
        toCallId: createCallIds(request.messages),
        promptBytes: () => JSON.stringify([prompt, call.tools]).length,
      });
      return endWithFailure(read(model, { call, options }, parts), options);
    },
  };
}

async function* read(
  model: LanguageModel,
  { call, options }: { call: LanguageModelV4CallOptions; options: StreamOptions },
  parts: AnswerParts,
): AsyncGenerator<ModelEvent, void, undefined> {
  // Not every provider looks at a signal that is already aborted.
  if (options.signal.aborted) return;
  for await (const part of receive(model, call, options)) {
    options.onBytes?.();
    yield* parts.take(part);
  }
  yield parts.finish();
}

/** The parts of the provider's stream. Everything that its code throws is a failure of the provider. */
async function* receive(
  model: LanguageModel,
  call: LanguageModelV4CallOptions,
  options: StreamOptions,
): AsyncGenerator<LanguageModelPart, void, undefined> {
  try {
    // The prompt has the form of the model's version, see `createPromptWriter`.
    const send = (): ReturnType<LanguageModel['doStream']> => model.doStream(call as never);
    const { stream } = await runWatched(options, send);
    yield* stream as AsyncIterable<LanguageModelPart>;
  } catch (error) {
    throw toError(error);
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
