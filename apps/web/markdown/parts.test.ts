import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { createParts, toParts } from '@klaus/core/conversation';
import { SAMPLE } from './sample.ts';

function cut(text: string, step: number): readonly string[] {
  const parts = createParts();
  for (let at = 0; at < text.length; at += step) parts.append(text.slice(at, at + step));
  return parts.list();
}

const types = (text: string) =>
  marked
    .lexer(text)
    .map(({ type }) => type)
    .filter((type) => type !== 'space');

describe('parts of a long text', () => {
  test('contain every character, and do not depend on the pieces', () => {
    const text = SAMPLE.repeat(60);
    const expected = toParts(text);
    expect(expected.length).toBeGreaterThan(5);
    expect(expected.join('').trimEnd()).toBe(text.trimEnd());
    for (const step of [1, 7, 1_000, 50_000]) expect(cut(text, step)).toEqual(expected);
  });

  test('end between blocks', () => {
    const text = SAMPLE.repeat(60);
    expect(toParts(text).flatMap(types)).toEqual(types(text));
  });

  test('that are closed stay the same', () => {
    const parts = createParts();
    parts.append(SAMPLE.repeat(30));
    const before = parts.list().slice(0, -1);
    parts.append(SAMPLE.repeat(30));
    expect(parts.list().slice(0, before.length)).toEqual(before);
  });

  test('of long code are code, each with its own fence', () => {
    const code = Array.from({ length: 5_000 }, (_, at) => `const value${at} = ${at};`).join('\n');
    const parts = toParts(`Look:\n\n~~~~ts\n${code}\n~~~~\n\nThat was it.\n`);
    expect(parts.length).toBeGreaterThan(4);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(21_000);
    const tokens = parts.flatMap((part) => marked.lexer(part)).filter(({ type }) => type !== 'space');
    expect(new Set(tokens.slice(1, -1).map((token) => `${token.type} ${'lang' in token && token.lang}`))).toEqual(
      new Set(['code ts']),
    );
    expect(
      tokens.flatMap((token) => (token.type === 'code' ? [(token as { text: string }).text] : [])).join('\n'),
    ).toBe(code);
  });

  test('of one long line are pieces of it', () => {
    const text = 'word '.repeat(20_000);
    for (const step of [100, 100_000]) {
      const parts = cut(text, step);
      expect(parts.join('')).toBe(text);
      expect(parts.length).toBeGreaterThan(3);
      expect(parts.slice(0, -1).every((part) => part.endsWith(' '))).toBe(true);
    }
  });

  test('of code without lines are code', () => {
    const parts = cut(`\`\`\`js\n${'x = 1; '.repeat(20_000)}\n\`\`\`\n`, 1_000);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map((part) => types(part))).toEqual(parts.map(() => ['code']));
  });

  test('a short text is one part', () => {
    expect(toParts('Hello.')).toEqual(['Hello.']);
    expect(toParts('')).toEqual(['']);
    expect(createParts().list()).toEqual(['']);
  });

  test('do not end within details or a formula', () => {
    const details = `<details>\n<summary>More</summary>\n\n${'A paragraph.\n\n'.repeat(200)}</details>\n\n`;
    const formula = `$$\n${'a + b\n\n'.repeat(300)}$$\n\n`;
    const parts = toParts(`${SAMPLE.repeat(8)}${details}${SAMPLE.repeat(8)}${formula}The end.\n`);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.filter((part) => part.includes('details')).map((part) => part.includes('</details>'))).toEqual([true]);
    expect(parts.filter((part) => part.includes('$$')).map((part) => part.split('$$').length)).toEqual([3]);
  });
});
