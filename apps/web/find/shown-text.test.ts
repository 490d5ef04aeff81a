import { expect, test } from 'vitest';
import { toShownText } from './shown-text.ts';

test.each([
  ['A **bold** word', 'A bold word'],
  ['[the words](https://example.com/needle)', 'the words'],
  ['`code` and ~~old~~ and \\*stars\\*', 'code and old and *stars*'],
  ['# Title\n\nText', 'Title\n\nText'],
  ['```js\nconst a = 1;\n```', 'const a = 1;'],
  ['- [x] one\n- two **three**', 'one\ntwo three'],
  ['| a | **b** |\n|---|---|\n| c | d |', 'a\nb\nc\nd'],
  ['<details><summary>More</summary>\n\nThe **rest**\n\n</details>', 'More\nThe rest'],
  ['2 < 3 <b>tag</b>', '2 < 3 <b>tag</b>'],
  ['plain', 'plain'],
  ['', ''],
])('%j is shown as %j', (markdown, shown) => {
  expect(toShownText(markdown).trim().replaceAll(/\n+/g, '\n')).toBe(shown.replaceAll(/\n+/g, '\n'));
});
