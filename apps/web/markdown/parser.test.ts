import type { Token } from 'marked';
import { describe, expect, test } from 'vitest';
import { findFootnote } from './footnotes.ts';
import { lex, lexBlocks, type DetailsToken, type MathToken } from './parser.ts';

function toAll(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => [
    token,
    ...toAll('tokens' in token ? (token.tokens ?? []) : []),
    ...toAll('summary' in token ? (token as DetailsToken).summary : []),
    ...toAll(token.type === 'list' ? (token.items as Token[]) : []),
  ]);
}

const find = <T extends Token>(text: string, type: string) => toAll(lex(text)).filter((it) => it.type === type) as T[];
const toMath = (text: string) => find<MathToken>(text, 'math').map(({ text: it, isDisplay }) => [it, isDisplay]);

describe('formulas', () => {
  test.each([
    ['It is $a^2 + b^2$.', [['a^2 + b^2', false]]],
    [
      '($x$), $y$: "$z$"',
      [
        ['x', false],
        ['y', false],
        ['z', false],
      ],
    ],
    [
      String.raw`\(a\) and \[b\]`,
      [
        ['a', false],
        ['b', true],
      ],
    ],
    ['$$\na\n\nb\n$$\n\nText.', [['a\n\nb', true]]],
    ['Within $$a$$ a line', [['a', true]]],
    [String.raw`$\$5$`, [[String.raw`\$5`, false]]],
  ])('of %j are found', (text, formulas) => {
    expect(toMath(text)).toEqual(formulas);
  });

  test.each([
    'It costs $5 and $10.',
    '$5, $10, or 15$ in total',
    'from $5-$10',
    '$HOME/bin:$PATH',
    'echo "$a" "$b"x',
    'US$5 and CA$7',
    '`$a$`',
    '```\n$a$\n```',
    'open $$ only',
    String.raw`\$a\$`,
    'a $ b $ c',
  ])('are not in %j', (text) => {
    expect(toMath(text)).toEqual([]);
  });
});

describe('footnotes', () => {
  const text = 'One[^1] and two[^b].\n\n[^1]: The first,\n    with `code`.\n[^b]: The second.\n\nMore.\n';

  test('are references and texts', () => {
    expect(find(text, 'note').map((it) => (it as unknown as { label: string }).label)).toEqual(['1', 'b']);
    expect(find(text, 'noteText').length).toBe(2);
    expect(
      lexBlocks(text)
        .map(({ raw }) => raw)
        .join(''),
    ).toBe(text);
  });

  test('are found in another part of the text', () => {
    expect(findFootnote(text, 'b')).toBe('The second.');
    expect(findFootnote(text, '1')).toContain('with `code`');
    expect(findFootnote(text, '.')).toBe(undefined);
  });
});

describe('details', () => {
  test('contain Markdown, and other details', () => {
    const [token] = find<DetailsToken>(
      '<details open>\n<summary>**More**</summary>\n\n- a\n\n<details>\nb\n</details>\n\n</details>\n\nEnd.',
      'details',
    );
    expect(token!.isOpen).toBe(true);
    expect(token!.summary.map(({ type }) => type)).toEqual(['strong']);
    expect(toAll(token!.tokens).map(({ type }) => type)).toEqual(expect.arrayContaining(['list', 'details']));
  });

  test('that are not closed yet contain the rest', () => {
    const blocks = lexBlocks('Before.\n\n<details><summary>A</summary>\n\nText.\n\nMore.');
    expect(blocks.map(({ type }) => type).filter((type) => type !== 'space')).toEqual(['paragraph', 'details']);
  });

  test('are text with attributes of the author, and below some levels', () => {
    expect(find('<details onclick="x">\na\n</details>', 'details')).toEqual([]);
    const deep = '<details>\n'.repeat(1_000);
    expect(find(deep, 'details').length).toBeLessThan(10);
  });
});

test.each(['$', '$$', String.raw`\[`, String.raw`\(`, '[^', '[^1]: ', '<details>', '$a\n', '> '])(
  'a hostile text of %j keeps all of its characters',
  (mark) => {
    const text = mark.repeat(10_000 / mark.length);
    const raw = lex(text).map((token) => token.raw);
    expect(raw.join('')).toBe(text);
  },
);
