import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBannedWords, readBannedWords } from './words.ts';

const banned = readBannedWords(readFileSync(join(import.meta.dirname, '../docs/glossary.md'), 'utf8'));
const find = (text: string) => findBannedWords('file.ts', text, banned).map(({ line, word }) => [line, word]);

test('the fixture is refused at every place: comment, string, identifier and Markdown', () => {
  const fixture = readFileSync(join(import.meta.dirname, 'fixtures/words/quaint.md'), 'utf8');
  expect(find(fixture)).toEqual([
    [3, 'mended'],
    [3, 'taken back'],
    [6, 'on its way'],
    [9, 'standing'],
    [9, 'whole'],
    [9, 'whole'],
    [10, 'nobody'],
  ]);
});

test('a phrase is found across the lines of a comment', () => {
  expect(find('/**\n * The text that is on\n * its way to a client.\n */')).toEqual([[2, 'on its way']]);
});

test('part of a word is no use of it', () => {
  expect(find('const recommended = outstanding + wholesale; // understand, amend')).toEqual([]);
});

test('every entry has what to write in its place', () => {
  expect(banned.length).toBeGreaterThan(40);
  expect(banned.filter(({ instead }) => instead === '')).toEqual([]);
});
