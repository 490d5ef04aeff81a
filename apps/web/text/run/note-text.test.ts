import { expect, test } from 'vitest';
import { de } from '../de.ts';
import { en } from '../en.ts';
import { toNoteText } from './note-text.ts';

test.each([
  'another content, 3 bytes become 2',
  'a new file of 9000000 bytes, mode 0644',
  'removes a file of 5 bytes, mode 0644',
  'mode 0644 becomes 0755',
  'a new folder',
  'a new symbolic link to "x"',
])('the note %j is in the language of the page, without the path', (said) => {
  const hunk = { path: 'a b.bin', note: `a b.bin: ${said}` };
  const [english, german] = [toNoteText(hunk, en)!, toNoteText(hunk, de)!];
  expect(german).not.toBe(english);
  expect(german).not.toContain('a b.bin');
});

test('other notes stay, and a hunk with lines has none', () => {
  expect(toNoteText({ path: 'a', note: 'Binary file.' }, de)).toBe('Binary file.');
  expect(toNoteText({ path: 'a' }, de)).toBeUndefined();
});
