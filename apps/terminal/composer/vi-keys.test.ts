import { expect, test } from 'vitest';
import { InlineScreen, PromptEditor } from '../screen/index.ts';
import { ViKeys } from './vi-keys.ts';

const SILENT = {
  columns: 80,
  rows: 24,
  kittyProtocolActive: false,
  start: () => {},
  stop: () => {},
  drainInput: () => Promise.resolve(),
  write: () => {},
  moveBy: () => {},
  hideCursor: () => {},
  showCursor: () => {},
  clearLine: () => {},
  clearFromCursor: () => {},
  clearScreen: () => {},
  setTitle: () => {},
  setProgress: () => {},
};

const plain = (text: string): string => text;
const selectList = {
  selectedPrefix: plain,
  selectedText: plain,
  description: plain,
  scrollInfo: plain,
  noMatch: plain,
};

/** The text of the input after keys, one by one. */
function typed(text: string, keys: string): string {
  const editor = new PromptEditor(new InlineScreen(SILENT, { reflows: 'all' }), { borderColor: plain, selectList });
  const vi = new ViKeys(editor, (data) => editor.feed(data));
  editor.onKey = (data) => vi.handle(data);
  editor.setText(text);
  for (const key of keys) editor.handleInput(key);
  return editor.getText();
}

test.each([
  ['one two', '\u001b0dw', ' two'],
  ['one two', '\u001b0dwx', 'two'],
  ['one two', '\u001b03x', ' two'],
  ['one two', '\u001b0Inew ', 'new one two'],
  ['one two', '\u001bA!', 'one two!'],
  ['one two', '\u001b0cwsix', 'six two'],
  ['one two', '\u001bdd', ''],
  ['one two', '\u001bccthree', 'three'],
  ['one two', '\u001b0rO', 'One two'],
  ['one two', '\u001b0D', ''],
  ['one two', '\u001bothree', 'one two\nthree'],
  ['one two', '\u001b0xu', 'one two'],
  ['one two', 'h', 'one twoh'],
  // An unknown command, and one that is cancelled, change nothing.
  ['one two', '\u001bz', 'one two'],
  ['one two', '\u001bd\u001bix', 'one twxo'],
])('%j with %j is %j', (text, keys, expected) => {
  expect(typed(text, keys)).toBe(expected);
});
