import { expect, test } from 'vitest';
import { StreamedText } from './streamed-text.ts';

const piece = (offset: number, text: string) =>
  ({ type: 'message.delta', session: 's', message: 'm', part: 'text', offset, text }) as const;

test('each character is sent once, whether it is streamed or stored', () => {
  const streamed = new StreamedText();
  expect(streamed.add(piece(0, 'abc'), 'text')).toBe('abc');
  expect(streamed.add(piece(1, 'bcd'), 'text')).toBe('d');
  expect(streamed.add(piece(0, 'ab'), 'text')).toBe('');
  expect(streamed.rest('m', 'text', ['abcdef'])).toBe('ef');
  expect(streamed.rest('m', 'thinking', ['why'])).toBe('why');
  expect(streamed.rest('other', 'text', ['x'])).toBe('x');
});

test('after a gap, the rest comes with the stored message', () => {
  const streamed = new StreamedText();
  streamed.add(piece(0, 'ab'), 'text');
  expect(streamed.add(piece(5, 'fg'), 'text')).toBe('');
  expect(streamed.rest('m', 'text', ['abcdefg'])).toBe('cdefg');
});

test('several texts of one message are streamed without the line break between them', () => {
  const streamed = new StreamedText();
  streamed.add(piece(0, 'onetwo'), 'text');
  expect(streamed.rest('m', 'text', ['one', 'two', '!'])).toBe('!');
});

test('a stored text that differs is sent completely', () => {
  const streamed = new StreamedText();
  streamed.add(piece(0, 'a secret'), 'text');
  expect(streamed.rest('m', 'text', ['a placeholder'])).toBe('\n\na placeholder');
  expect(streamed.forget('m')).toBe(true);
  expect(streamed.forget('m')).toBe(false);
});
