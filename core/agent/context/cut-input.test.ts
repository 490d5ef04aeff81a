import { expect, test } from 'vitest';
import type { Message } from '../../protocol/index.ts';
import { cutInputs } from './cut-input.ts';

const toMessage = (input: unknown): Message => ({
  id: 'm',
  role: 'assistant',
  origin: 'model',
  parts: [
    { type: 'text', text: 'I write.' },
    { type: 'call', id: 'c', name: 'write_file', input },
  ],
});
const cut = (input: unknown): unknown => (cutInputs(toMessage(input)).parts[1] as { input: unknown }).input;

test('an ordinary call keeps its identity', () => {
  const message = toMessage({ path: 'a.txt', content: 'x'.repeat(40_000) });
  expect(cutInputs(message)).toBe(message);
});

test('a long text keeps its ends and short neighbours, with a note about the missing part', () => {
  const content = `HEAD${'x'.repeat(200_000)}TAIL`;
  const given = cut({ path: 'a.txt', content }) as { path: string; content: string };
  expect(given.path).toBe('a.txt');
  expect(given.content).toMatch(/^HEADx+\n\[… \d+ .+ …\]\n/);
  expect(given.content).toMatch(/xTAIL$/);
});

test.each([
  ['arguments that are no JSON', `{"path": ${'y'.repeat(10_000_000)}`],
  ['many texts', Array.from({ length: 5_000 }, (_, at) => `line ${at} ${'z'.repeat(100)}`)],
  ['many numbers', Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => Array(50).fill(123_456)))],
  ['many keys', Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`key${at}`, at]))],
  ['long keys', { ['k'.repeat(90_000)]: 1 }],
  [
    'deep ones',
    Array.from({ length: 2_000 }).reduce<object>((inner) => ({ inner, pad: 'p'.repeat(50) }), { text: 'bottom' }),
  ],
  ['half a surrogate pair', '🧮'.repeat(100_000)],
])('%s are cut to what can be sent, the same each time', (_, input) => {
  const text = JSON.stringify(cut(input));
  expect(text.length).toBeLessThan(60_000);
  expect(text).toMatch(/\[… \d+ .+ …\]/);
  expect(JSON.stringify(cut(input))).toBe(text);
  expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text)).toBe(true);
});
