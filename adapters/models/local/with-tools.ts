import type { Model } from '@klaus/core/agent';
import { withTextCalls } from '../text-calls/with-text-calls.ts';
import type { Served } from './read-served.ts';

export interface ToolSupport {
  /** What the user has set. */
  given: boolean | 'text' | undefined;
  served: Served | undefined;
  onNotice?: (text: string) => void;
}

/**
 * The model without tools if the user says that it has none. If its server says so, a request with tools fails before it
 * is sent: the template of the chat would drop them without an error.
 */
export function withTools(model: Model, { given, served, onNotice }: ToolSupport): Model {
  if (given === false)
    return { ...model, stream: (request, options) => model.stream({ ...request, tools: [] }, options) };
  if (given === 'text') return withTextCalls(model, { onNotice });
  if (given === true || served?.facts.tools !== false) return model;
  const { title, toolsFix } = served.program;
  const message = `${title} gives ${model.name} no tools: its chat template has none. ${toolsFix} Or set "tools: text" for the model in an entry of "servers", so that it calls tools in its text.`;
  return {
    ...model,
    async *stream(request, options) {
      if (request.tools.length === 0) yield* model.stream(request, options);
      else yield { type: 'failed', failure: { code: 'invalid_request', cause: 'prompt_cut', message } };
    },
  };
}
