import type { ToolSpec } from '@klaus/core/agent';
import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { describe, toMessage, type LiveServer } from '../live-server.ts';
import type { Wire } from '../target.ts';

const FORCED: Readonly<Record<Wire, unknown>> = { chat: 'required', responses: 'required', messages: { type: 'any' } };

const TOOL: ToolSpec = {
  name: 'read_value',
  description: 'Returns the value of a key.',
  inputSchema: {
    type: 'object',
    properties: { key: { type: 'string', description: 'Name of the key.' } },
    required: ['key'],
  },
  effects: ['read'],
};

const toolCall: Check = {
  name: 'a tool call and its result',
  async run(server) {
    if (server.facts.hasTools === false) {
      throw new CheckSkipped(
        'The chat template has no tools (`chat_template_caps` of `/props`): the server drops them.',
      );
    }
    const messages = [toMessage('user', [{ type: 'text', text: 'Read the key `color` with the tool read_value.' }])];
    const end = await call(server, messages);
    const made = end.parts.find((part) => part.type === 'call');
    if (!made) throw new CheckSkipped('The model answered with text, although `tool_choice` requires a call.');
    need(made.name === TOOL.name, `The call names the tool ${made.name}.`);
    need(typeof made.input === 'object', `The input is ${JSON.stringify(made.input)}.`);
    need(end.stopReason === 'tool_use', `The stop reason is ${end.stopReason}.`);
    messages.push(
      toMessage('assistant', end.parts),
      toMessage('user', [{ type: 'result', call: made.id, text: 'The value is blue.', isError: false }]),
    );
    const { end: last } = await server.finish(await server.open(), { messages, tools: [TOOL] });
    return `called with ${JSON.stringify(made.input)}; after the result: ${last.stopReason}`;
  },
};

async function call(server: LiveServer, messages: ReturnType<typeof toMessage>[]) {
  const question = { messages, tools: [TOOL] };
  const forced = await server.open({ body: { tool_choice: FORCED[server.wire] as string } });
  const { end } = await server.ask(forced, question);
  if (end.type === 'finished') return end;
  // A model that reasons may not be forced.
  need(end.failure.code === 'invalid_request', describe(end.failure));
  return (await server.finish(await server.open(), question)).end;
}

export const TOOL_CHECKS: readonly Check[] = [toolCall];
