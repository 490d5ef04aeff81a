// Covers adapters/workspace/byte-names.ts: names that are no text, and text that looks like them.
import { describe, expect, test } from 'vitest';
import { hasByteNames, toFileName, toNameText } from './byte-names.ts';

const toBytes = (name: string | Buffer): Buffer => Buffer.from(name as string);

describe('a name', () => {
  test.each([
    ['plain.txt', 'plain.txt'],
    ['漢字 \\n', '漢字 \\n'],
    ['a\\xff.txt', 'a\\x5cxff.txt'],
    ['a\\x5cxff', 'a\\x5cx5cxff'],
    ['a\\xFF', 'a\\xFF'],
    ['\uFFFD', '\uFFFD'],
  ])('%s is spelled %s', (name, text) => {
    expect(toNameText(Buffer.from(name))).toBe(text);
    expect(toBytes(toFileName(text)).toString()).toBe(name);
  });

  test('bytes that are no UTF-8 are spelled as they are shown', () => {
    expect(toNameText(Buffer.from('bad\xff\xfe.txt', 'latin1'))).toBe('bad\\xff\\xfe.txt');
    expect(toFileName('bad\\xff\\xfe.txt')).toEqual(Buffer.from('bad\xff\xfe.txt', 'latin1'));
    expect(hasByteNames('plain/\\x/name')).toBe(false);
  });

  test('15,000 names have one spelling each, and it leads back', () => {
    const parts = [
      '\\',
      'x',
      'f',
      '5c',
      'a',
      '\xff',
      '\xc3',
      '\xa9',
      '\xe6\xbc\xa2',
      '\xf0\x9f',
      '\xed\xa0\x80',
      '\\xff',
    ];
    const longer = (names: readonly string[]): string[] => names.flatMap((name) => parts.map((part) => name + part));
    const two = longer(parts);
    const names = new Set([...two, ...longer(two), ...longer(longer(two))]);
    const spelled = new Set<string>();
    for (const name of names) {
      const text = toNameText(Buffer.from(name, 'latin1'));
      expect(text.isWellFormed()).toBe(true);
      expect(toBytes(toFileName(text)).toString('latin1')).toBe(name);
      spelled.add(text);
    }
    expect(spelled.size).toBe(names.size);
    expect(names.size).toBeGreaterThan(15_000);
  });
});
