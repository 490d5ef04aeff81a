import { expect, test } from 'vitest';
import { readTextCalls } from './read-text-calls.ts';

const NAMES = new Set(['read_file', 'run_command']);
const READ = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const CALL = { name: 'read_file', input: { path: 'a.txt' } };
const FENCE = '```';

test.each([
  ['tags', `<tool_call>\n${READ}\n</tool_call>`, ''],
  ['a text before', `I look.\n<tool_call>${READ}</tool_call>\n\n`, 'I look.'],
  ['no closing tag', `I look.\n<tool_call>\n${READ}`, 'I look.'],
  ['a fence', `I look.\n\n${FENCE}json\n${READ}\n${FENCE}`, 'I look.'],
  ['a fence without a language', `${FENCE}\n${READ}\n${FENCE}\n`, ''],
  ['a list', `${FENCE}json\n[${READ}]\n${FENCE}`, ''],
  ['parameters', '<tool_call>{"name":"read_file","parameters":{"path":"a.txt"}}</tool_call>', ''],
  ['a text of arguments', '<tool_call>{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}</tool_call>', ''],
  ['a function', `<tool_call>{"type":"function","function":${READ}}</tool_call>`, ''],
])('%s is a call', (_, answer, text) => {
  expect(readTextCalls(answer, NAMES)).toEqual({ text, calls: [CALL] });
});

test('several calls keep their order', () => {
  const other = '{"name": "run_command", "arguments": {"command": "ls"}}';
  const answer = `<tool_call>\n${READ}\n</tool_call>\n<tool_call>\n${other}\n</tool_call>`;
  expect(readTextCalls(answer, NAMES)?.calls.map(({ name }) => name)).toEqual(['read_file', 'run_command']);
});

test.each([
  ['a text behind it', `<tool_call>${READ}</tool_call>\nThat is how I would do it.`],
  ['a text between two', `<tool_call>${READ}</tool_call> and <tool_call>${READ}</tool_call>`],
  ['an unknown tool', '<tool_call>{"name":"delete_all","arguments":{}}</tool_call>'],
  ['an unknown tool beside a known one', `<tool_call>[${READ},{"name":"x"}]</tool_call>`],
  ['JSON that is no call', `${FENCE}json\n{"path": "a.txt"}\n${FENCE}`],
  ['another language', `${FENCE}python\n${READ}\n${FENCE}`],
  ['a fence that a text follows', `${FENCE}json\n${READ}\n${FENCE}\nDone.`],
  ['invalid JSON', '<tool_call>{"name": "read_file", "arguments": {</tool_call>'],
  ['an empty list', '<tool_call>[]</tool_call>'],
  ['a block quote', `It says:\n> <tool_call>${READ}</tool_call>`],
  ['a code block that is not closed', `Like this:\n${FENCE}\n<tool_call>${READ}</tool_call>`],
  ['plain text', 'Done.'],
])('%s is no call', (_, answer) => {
  expect(readTextCalls(answer, NAMES)).toBeUndefined();
});

test('a long answer without an end is read in linear time', () => {
  const answer = `${'<tool_call>{"name":'.repeat(50_000)}${FENCE.repeat(10_000)}`;
  expect(readTextCalls(answer, NAMES)).toBeUndefined();
});
