import type { Model, ModelEvent, ModelRequest } from '@klaus/core/agent';
import { describeTools, toTextMessage } from './write-text-calls.ts';
import { readTextCalls } from './read-text-calls.ts';

interface TextCallOptions {
  onNotice?: (text: string) => void;
}

type Finished = Extract<ModelEvent, { type: 'finished' }>;

/**
 * A model that calls tools in the text of its answers. Its instructions describe the tools, and calls and results are text
 * of the conversation. Calls at the end of an answer are calls, unless the session has read untrusted text: a model can
 * quote what it has read, and a quotation must not be a call.
 */
export function withTextCalls(model: Model, { onNotice }: TextCallOptions): Model {
  let isNoticed = false;
  return {
    ...model,
    async *stream(request, options) {
      if (request.tools.length === 0) return yield* model.stream(request, options);
      for await (const event of model.stream(toTextRequest(request), options)) {
        const called = event.type === 'finished' ? takeCalls(event, request) : undefined;
        if (called === undefined || request.isUntrusted !== true) yield called ?? event;
        else {
          yield event;
          if (!isNoticed)
            onNotice?.(`${model.name} called a tool in its text, which is not done after untrusted text was read.`);
          isNoticed = true;
        }
      }
    },
  };
}

/** Undefined if the answer has no call in its text. */
function takeCalls(event: Finished, { tools }: ModelRequest): Finished | undefined {
  // What the provider reports as calls counts more.
  if (event.parts.some(({ type }) => type === 'call')) return undefined;
  const last = event.parts.at(-1);
  if (last?.type !== 'text') return undefined;
  const read = readTextCalls(last.text, new Set(tools.map(({ name }) => name)));
  if (!read) return undefined;
  const said = read.text === '' ? [] : [{ ...last, text: read.text }];
  const calls = read.calls.map(({ name, input }, at) => ({ type: 'call' as const, id: `text_${at}`, name, input }));
  return { ...event, parts: [...event.parts.slice(0, -1), ...said, ...calls], stopReason: 'tool_use' };
}

/** Descriptions by the tools, which stay the same in a session. */
const described = new WeakMap<object, string>();

function toTextRequest(request: ModelRequest): ModelRequest {
  const { system, tools, messages } = request;
  let text = described.get(tools);
  if (text === undefined) described.set(tools, (text = describeTools(tools)));
  return { ...request, system: `${system}\n\n${text}`, tools: [], messages: messages.map(toTextMessage) };
}
