import { expect, test } from 'vitest';
import { createKeywordIndex } from './keyword-index.ts';
import { toRedactionRules } from './redaction-rules.ts';
import { createValueMatcher } from './value-matcher.ts';

const VALUE = 'Zq7-hunter2_K9!xW4vB';
const bytesOf = (text: string) => new TextEncoder().encode(text);
const random = createRandom(7);

const DISGUISES: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value.split('').join('\n'),
  (value) => value.split('').join(' é '),
  (value) => value.toUpperCase(),
  (value) => value.slice(4, 16),
  (value) => Buffer.from(value).toString('base64'),
  (value) => Buffer.from(`ab${value}`).toString('base64'),
  (value) => Buffer.from(value).toString('hex'),
  (value) => value.split('').toReversed().join(''),
];

test('the filter by pairs of bytes skips no value that the matcher finds, at any offset', () => {
  const matcher = createValueMatcher([{ name: 'v', value: VALUE }]);
  for (const disguise of DISGUISES) {
    for (let before = 0; before < 40; before++) {
      const noise = Array.from({ length: before }, () => 'a1-\n é'[Math.floor(random() * 6)]).join('');
      for (const after of ['', '.', 'xy']) {
        const text = `${noise}${disguise(VALUE)}${after}`;
        const bytes = bytesOf(text);
        if (matcher.find(text, bytes).length > 0) expect([text, matcher.mayHold(bytes)]).toEqual([text, true]);
        else expect(disguise).toBe(undefined);
      }
    }
  }
});

test('a view that begins at an odd byte is looked at as well', () => {
  const matcher = createValueMatcher([{ name: 'v', value: VALUE }]);
  const bytes = bytesOf(`xxx${VALUE}`);
  expect(matcher.mayHold(bytes.subarray(3))).toBe(true);
  expect(matcher.mayHold(bytes.subarray(1))).toBe(true);
});

test('ordinary bytes contain no value, and a value of punctuation is found', () => {
  const matcher = createValueMatcher([
    { name: 'v', value: VALUE },
    { name: 'w', value: '%$§!=)(/&%' },
  ]);
  expect(matcher.mayHold(bytesOf('1\n2\n3\nwords and more words\n'.repeat(500)))).toBe(false);
  expect(matcher.mayHold(bytesOf('words %$§!=)(/&% words'))).toBe(true);
});

test('every keyword is found at every place and in either case', () => {
  const lists = toRedactionRules().map((rule) => rule.keywords);
  const index = createKeywordIndex(lists);
  for (const [number, words] of lists.entries()) {
    for (const word of words) {
      for (const before of ['', '.', '..', '...']) {
        expect(index.find(bytesOf(before + word)).lists).toContain(number);
        expect(index.find(bytesOf(`${before}${word.toUpperCase()}é`)).lists).toContain(number);
      }
    }
  }
  expect(index.find(bytesOf('0 1 2 3 4 5 6 7 8 9 and so on')).lists).toEqual([]);
});

/** Numbers from 0 to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
