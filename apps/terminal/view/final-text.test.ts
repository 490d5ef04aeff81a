import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { countFinal } from './final-text.ts';
import { toPartLines } from './message-lines.ts';
import { createViewStyle } from './view-style.ts';

const style = createViewStyle('none');
const WIDTH = 40;

function toRows(text: string): string[] {
  return toPartLines(text, false, { width: WIDTH, style }).map((row) => stripVTControlCharacters(row).trim());
}

/** The rows that a text leaves which arrives in pieces. */
function stream(text: string, size: number): string[] {
  const rows: string[] = [];
  let done = 0;
  for (let end = 0; end < text.length; end += size) {
    const count = countFinal(text.slice(done, end), toRows);
    rows.push(...toRows(text.slice(done, done + count)));
    done += count;
  }
  return [...rows, ...toRows(text.slice(done))];
}

const WORDS = Array.from({ length: 40 }, (_, index) => `word${index}`);

test.each([
  ['words', WORDS.join(' ')],
  ['marks', WORDS.map((word, index) => (index % 3 === 0 ? `**${word} bold**` : `\`${word}\` 5 * 3`)).join(' ')],
  ['signs that could begin a block', WORDS.map((word, index) => `${word} - ${index}. # > | ${word}`).join(' ')],
  ['line breaks', WORDS.map((word, index) => `${word}${index % 5 === 0 ? '\n' : ' '}`).join('')],
  ['links', WORDS.map((word) => `${word} [1] [${word}](https://localhost/${word})`).join(' ')],
  ['prices', WORDS.map((word, index) => `${word} costs $${index}, or \\$3 & a<b`).join(' ')],
  ['characters without spaces', '文章は長い。'.repeat(60)],
  ['an unclosed mark', `${WORDS.join(' ')} **open ${WORDS.join(' ')}`],
  ['a list', WORDS.map((word, index) => `${index + 1}. ${word} is an item that has more than one row`).join('\n')],
  ['a text and a list', `${WORDS.join(' ')}\n${WORDS.map((word) => `- ${word}`).join('\n')}`],
  ['a code block', `\`\`\`\n${WORDS.join('\n')}\n\`\`\``],
  ['a table', `| a | b |\n|---|---|\n${WORDS.map((word) => `| ${word} | 1 |`).join('\n')}`],
])('%s have the same rows as a complete text', (_, text) => {
  for (const size of [7, 200]) expect(stream(text, size)).toEqual(toRows(text));
});

test('at most two rows of a paragraph are left', () => {
  for (let end = 0; end < 240; end++) {
    const text = WORDS.join(' ').slice(0, end);
    expect(toRows(text.slice(countFinal(text, toRows))).length).toBeLessThanOrEqual(2);
  }
});

test('nothing is final inside a mark that may be closed, and before what could begin another block', () => {
  const before = WORDS.slice(0, 3).join(' ');
  expect(countFinal(`${before} **${WORDS.join(' ')}`, toRows)).toBeLessThanOrEqual(before.length + 1);
  expect(countFinal(`${'a'.repeat(38)} - ${'b'.repeat(38)} c`, toRows)).toBe(41);
});
