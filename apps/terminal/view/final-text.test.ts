import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { toContinuedRows, toOpenRows } from './continued-text.ts';
import { findFinal, type Place, START } from './final-text.ts';
import { toPartLines } from './message-lines.ts';
import { createViewStyle } from './view-style.ts';

const style = createViewStyle('none');
const WIDTH = 40;

function toRows(text: string): string[] {
  return toPartLines(text, false, { width: WIDTH, style }).map((row) => stripVTControlCharacters(row));
}

/** The rows that a text leaves which arrives in pieces, and those of its end that were not final. */
function stream(text: string, size: number): { rows: string[]; rest: readonly string[] } {
  const rows: string[] = [];
  let from: Place = START;
  for (let end = 0; end < text.length; end += size) {
    for (let to = findFinal(text.slice(0, end), from, toRows); to; to = findFinal(text.slice(0, end), from, toRows)) {
      rows.push(...toOpenRows(from, text.slice(from.at, to.at), { codeLine: to.codeLine, toRows }));
      from = to;
    }
  }
  const rest = toContinuedRows(from, text.slice(from.at), toRows);
  return { rows: [...rows, ...rest], rest };
}

const WORDS = Array.from({ length: 40 }, (_, index) => `word${index}`);

/** Code with blank lines, long lines and a comment of several lines. */
const CODE = `function one() {\n\n  /* ${WORDS.join(' ')}\n\n  end */\n  return \`\n# text\n- text\`;\n}\n\n\none();`;
const NESTED = ['- ', '  1. ', '     * '];

test.each([
  ['words', WORDS.join(' ')],
  ['marks', WORDS.map((word, index) => (index % 3 === 0 ? `**${word} bold**` : `\`${word}\` 5 * 3`)).join(' ')],
  ['signs that could begin a block', WORDS.map((word, index) => `${word} - ${index}. # > | ${word}`).join(' ')],
  ['line breaks', WORDS.map((word, index) => `${word}${index % 5 === 0 ? '\n' : ' '}`).join('')],
  ['links', WORDS.map((word) => `${word} [1] [${word}](https://localhost/${word})`).join(' ')],
  ['characters without spaces', '文章は長い。'.repeat(60)],
  ['a list', WORDS.map((word, index) => `${index + 1}. ${word} is an item that has more than one row`).join('\n')],
  ['a text and a list', `${WORDS.join(' ')}\n${WORDS.map((word) => `- ${word}`).join('\n')}`],
  ['a list with one number', WORDS.map((word) => `1. ${word} is an item that has more than one row`).join('\n')],
  ['a long item', `12. ${WORDS.join(' ')}\n13. **One** ${WORDS.join(' ')}`],
  ['tasks', WORDS.map((word, index) => `- [${index % 2 ? 'x' : ' '}] ${word} ${WORDS.join(' ')}`).join('\n')],
  ['nested lists', WORDS.map((word, index) => `${NESTED[index % 3]}${word} is in a list in a list`).join('\n')],
  ['items with paragraphs', `1. ${WORDS.join(' ')}\n\n   ${WORDS.join(' ')}\n\n   - ${WORDS.join('\n   - ')}`],
  ['a heading and a text', `## A title\n${WORDS.join(' ')}\n### Another\n- ${WORDS.join('\n- ')}`],
  ['a quote', `> ${WORDS.join(' ')}\n> ${WORDS.join(' ')}\n>\n> ${WORDS.join(' ')}`],
  ['a code block', `\`\`\`\n${CODE}\n\`\`\``],
  ['a code block in a text', `A text:\n~~~js\n${CODE}\n~~~\n${WORDS.join(' ')}`],
  ['a code block without an end', `\`\`\`\`js\n${CODE}\n\`\`\`\n`],
  ['a code block in an item', `1. A text:\n   \`\`\`js\n   ${CODE.replaceAll('\n', '\n   ')}\n   \`\`\`\n2. Next`],
])('%s is final as it arrives, with the rows of a complete text', (_, text) => {
  for (const size of [5, 200]) {
    const { rows, rest } = stream(text, size);
    expect(rows).toEqual(toRows(text));
    if (size < 10) expect(rest.length).toBeLessThanOrEqual(4);
  }
});

test.each([
  ['prices', WORDS.map((word, index) => `${word} costs $${index}, or \\$3 & a<b`).join(' ')],
  ['an unclosed mark', `${WORDS.join(' ')} **open ${WORDS.join(' ')}`],
  ['a table', `| a | b |\n|---|---|\n${WORDS.map((word) => `| ${word} | 1 |`).join('\n')}`],
])('%s can wait, and has the rows of a complete text', (_, text) => {
  for (const size of [7, 200]) expect(stream(text, size).rows).toEqual(toRows(text));
});

test('at most two rows of a paragraph are left', () => {
  for (let end = 0; end < 240; end += 7)
    expect(stream(WORDS.join(' ').slice(0, end), 9).rest.length).toBeLessThanOrEqual(2);
});

test('nothing is final inside a mark that may be closed, and before what could begin another block', () => {
  const count = (text: string): number => findFinal(text, START, toRows)?.at ?? 0;
  const before = WORDS.slice(0, 3).join(' ');
  expect(count(`${before} **${WORDS.join(' ')}`)).toBeLessThanOrEqual(before.length + 1);
  expect(count(`${'a'.repeat(38)} - ${'b'.repeat(38)} c`)).toBe(41);
});
