import katex from 'katex';
import { expect, test } from 'vitest';
import { parseMarkup, type MarkupNode } from './markup.ts';

const toText = (nodes: readonly MarkupNode[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : toText(node.children))).join('');

test('elements, attributes, entities and text are parsed', () => {
  expect(parseMarkup('<a x="1" y=\'&lt;2&#x41;\'>b<c/>&amp;d</a>')).toEqual([
    {
      tag: 'a',
      attributes: { x: '1', y: '<2A' },
      children: ['b', { tag: 'c', attributes: {}, children: [] }, '&d'],
    },
  ]);
});

test('the markup of KaTeX is parsed', () => {
  for (const formula of [
    String.raw`\sqrt{x} + \frac{a}{b}`,
    String.raw`\begin{pmatrix} 1 & 2 \end{pmatrix}`,
    'a < b',
  ]) {
    const nodes = parseMarkup(katex.renderToString(formula));
    expect(toText(nodes ?? [])).toContain(formula);
  }
});

test.each(['<a>', '</a>', '<a></b>', '<a x=1>', '<!-- c -->', '<!DOCTYPE a>', '<a', '<a "x">'])(
  '%j is not well-formed',
  (text) => {
    expect(parseMarkup(text)).toBe(undefined);
  },
);
