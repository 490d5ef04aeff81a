import type { ToolSpec } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';

/**
 * The part of the instructions about tools, in the form that many open models were trained with.
 *
 * @source https://github.com/NousResearch/Hermes-Function-Calling
 */
export function describeTools(tools: readonly ToolSpec[]): string {
  const lines = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, parameters: inputSchema }),
  );
  return [
    '# Tools',
    'You can call these tools. Each line is one tool with the JSON Schema of its arguments:',
    '<tools>',
    ...lines,
    '</tools>',
    'To call a tool, end your answer with one object in these tags, and write nothing after it:',
    '<tool_call>',
    '{"name": "NAME", "arguments": {…}}',
    '</tool_call>',
    'The next message has the result.',
  ].join('\n');
}

/** Messages are immutable, and the wires cache by identity. */
const written = new WeakMap<Message, Message>();

/** The message with its calls and results as text. */
export function toTextMessage(message: Message): Message {
  if (!message.parts.some(({ type }) => type === 'call' || type === 'result')) return message;
  let text = written.get(message);
  if (text === undefined) written.set(message, (text = { ...message, parts: message.parts.map(toTextPart) }));
  return text;
}

function toTextPart(part: Part): Part {
  switch (part.type) {
    case 'call': {
      const { name, input } = part;
      return { type: 'text', text: `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>` };
    }
    case 'result':
      return { type: 'text', text: `<tool_response>\n${part.text}\n</tool_response>` };
    default:
      return part;
  }
}
