import { describe, expect, test } from 'vitest';
import { closeMarks, createBlocks, toBlocks, toSafeLink } from './blocks.ts';
import { SAMPLE } from './sample.ts';

const TEXT = `${SAMPLE}The end.\n`;

/** Whitespace at the end may be missing until more text follows. */
function toWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

describe('blocks', () => {
  test('of a growing text contain every word in order', () => {
    const blocks = createBlocks();
    for (let at = 0; at < TEXT.length; at += 3) {
      blocks.append(TEXT.slice(at, at + 3));
      expect(toWords(blocks.list().join(''))).toEqual(toWords(TEXT.slice(0, at + 3)));
    }
    expect(blocks.list()).toEqual(toBlocks(TEXT));
  });

  test('that are closed stay the same', () => {
    const blocks = createBlocks();
    const many = TEXT.repeat(20);
    blocks.append(many);
    const before = blocks.list();
    blocks.append('More text.\n');
    const after = blocks.list();
    expect(after.slice(0, before.length - 2)).toEqual(before.slice(0, -2));
  });

  test('of one long block are not parsed for every piece', () => {
    const blocks = createBlocks();
    blocks.append(`\`\`\`\n${'line\n'.repeat(20_000)}`);
    const first = blocks.list();
    blocks.append('x\n');
    expect(first.length).toBe(1);
    expect(blocks.list().join('').endsWith('line\nx\n')).toBe(true);
  });
});

test('only absolute addresses with an allowed protocol are links', () => {
  expect(toSafeLink('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
  expect(toSafeLink('mailto:a@example.org')).toBe('mailto:a@example.org');
  for (const href of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '//x',
    '/api/sign-out',
    '#/',
    'vbscript:x',
  ]) {
    expect(toSafeLink(href), href).toBe(undefined);
  }
});

test.each([
  ['a **', 'a'],
  ['a **b', 'a **b**'],
  ['a **b**', 'a **b**'],
  ['a `b', 'a `b`'],
  ['a `', 'a'],
  ['`**` and', '`**` and'],
  ['```js\nconst a = `', '```js\nconst a = `'],
  ['plain', 'plain'],
])('an incomplete block %j is shown as %j', (block, shown) => {
  expect(closeMarks(block)).toBe(shown);
});
