import { expect, test } from 'vitest';
import type { Part } from '@klaus/core/protocol';
import { createContent } from './content.ts';

const CASES: [content: string, thinking: string, text: string][] = [
  ['plain', '', 'plain'],
  ['<think>hm</think>ok', 'hm', 'ok'],
  [' \n<think>\nhm\n</think>\n\nok\n', 'hm', 'ok\n'],
  ['<think></think>ok', '', 'ok'],
  ['<think>a</think><think>b</think>ok', 'ab', 'ok'],
  ['<thinking>a </think> b</thinking>ok', 'a </think> b', 'ok'],
  ['<think>only', 'only', ''],
  ['<think>a <think> b</think>ok', 'a <think> b', 'ok'],
  ['[THINK]hm[/THINK]ok', 'hm', 'ok'],
  ['</think>ok', '', 'ok'],
  ['hm.\n</think>\n\nok', 'hm.', 'ok'],
  ['hm.</think>ok', 'hm.', 'ok'],
  ['<thin', '', '<thin'],
  ['<th>ok</th>', '', '<th>ok</th>'],
  ['See <think>x</think>.', '', 'See <think>x</think>.'],
  ['Use `</think>` here.', '', 'Use `</think>` here.'],
  ['Use </think> here.', '', 'Use </think> here.'],
  ['Use "</think>".', '', 'Use "</think>".'],
  ['```xml\na</think>\n```\n', '', '```xml\na</think>\n```\n'],
];

function read(pieces: readonly string[]): { parts: Part[]; streamed: string } {
  const content = createContent();
  const streamed = pieces.flatMap((piece) => content.take(piece)).map((piece) => `${piece.type}:${piece.text}`);
  return { parts: content.finish(), streamed: streamed.join('|') };
}

test.each(CASES)('%j is the same in any pieces', (content, thinking, text) => {
  const expected = [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  expect(read([content]).parts).toEqual(expected);
  for (let at = 1; at < content.length; at++) {
    expect(read([content.slice(0, at), content.slice(at)]).parts).toEqual(expected);
  }
  expect(read(content.split('')).parts).toEqual(expected);
});

test('a tag is never streamed', () => {
  const { streamed } = read('<think>hm</think>\n\nok'.split(''));
  expect(streamed).toBe('thinking:h|thinking:m|text:o|text:k');
});
