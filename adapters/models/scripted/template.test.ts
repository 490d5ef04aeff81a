import { expect, test } from 'vitest';
import { toConversation } from './conversation.ts';
import { render, TemplateError } from './template.ts';

const conversation = toConversation('anthropic', {
  model: 'demo',
  messages: [
    { role: 'user', content: 'look in sum.js please' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read_file', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one\ntwo {"x": 1}\n{"deep": [{"n": 7}]}' }],
    },
  ],
});

test.each([
  ['plain {single} braces', 'plain {single} braces'],
  ['turn {{turn}} of {{ model }}', 'turn 1 of demo'],
  ["src/{{user | match 'in (\\S+)'}}", 'src/sum.js'],
  ["{{user | match 'sum'}}", 'sum'],
  ['{{result | line 2}}!', 'two {"x": 1}!'],
  ['{{result | line 3 | json deep.0.n}}', '7'],
  // Braces and bars inside a quoted expression belong to it.
  ["{{result | match 'x\": (\\d)}|never'}}", '1'],
])('%s', (text, expected) => {
  expect(render(text, conversation)).toBe(expected);
});

test.each(["{{user | match 'absent'}}", '{{result | line 9}}', '{{result | json deep}}'])(
  'what finds nothing is an error, not an empty text: %s',
  (text) => {
    expect(() => render(text, conversation)).toThrow(TemplateError);
  },
);
