import { expect, test } from 'vitest';
import { fitTitle } from './fit-title.ts';

const SESSIONS = [
  { id: 'A', title: 'Fix the cart', firstPrompt: null },
  { id: 'B', title: 'Fix the cart of the shop', firstPrompt: null },
  { id: 'C', title: null, firstPrompt: 'write the docs' },
  { id: 'D', title: '01KEAAAA is done', firstPrompt: null },
];
const find = (text: string): string[] => fitTitle(text, SESSIONS).map(({ id }) => id);

test.each([
  ['fix the cart', ['A']],
  ['Fix the', ['A', 'B']],
  ['WRITE', ['C']],
  ['cart', []],
  ['', []],
  [' ', []],
  // The beginning of an id that no session has.
  ['01KEAAAA', []],
  ['01keaaaa', []],
  ['x'.repeat(1_000_000), []],
])('%.20s means %j', (text, ids) => {
  expect(find(text)).toEqual(ids);
});
