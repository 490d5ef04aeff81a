import { describe, expect, test } from 'vitest';
import { fromFile, isLong, toParts, fromText } from './attachment.ts';
import { complete, findCompletion } from './completion.ts';

describe('completion', () => {
  test('finds a file after an @ at the caret, and not in an email address', () => {
    expect(findCompletion('look at @src/su and', 15)).toEqual({ kind: 'file', query: 'src/su', from: 8, to: 15 });
    expect(findCompletion('mail a@b', 8)).toBe(undefined);
    expect(findCompletion('look at @src/su and', 19)).toBe(undefined);
  });

  test('finds a command only at the beginning', () => {
    expect(findCompletion('/un', 3)).toEqual({ kind: 'command', query: 'un', from: 0, to: 3 });
    expect(findCompletion('see /un', 7)).toBe(undefined);
  });

  test('inserts the word with one space after it', () => {
    const found = findCompletion('look at @su and', 11)!;
    expect(complete('look at @su and', found, '@src/sum.js')).toEqual({ text: 'look at @src/sum.js and', caret: 20 });
    expect(complete('@s', findCompletion('@s', 2)!, '@a')).toEqual({ text: '@a ', caret: 3 });
  });
});

describe('attachments', () => {
  test('replace a paste of many lines or characters', () => {
    expect(isLong('a\n'.repeat(20_000))).toBe(true);
    expect(isLong('a'.repeat(9_000))).toBe(true);
    expect(isLong('a few\nlines\n')).toBe(false);
  });

  test('are texts or images; other files are refused', async () => {
    const text = await fromFile(new File(['grüße'], 'a.txt', { type: 'text/plain' }));
    expect(text).toMatchObject({ part: { type: 'file', text: 'grüße' } });
    const image = await fromFile(new File([new Uint8Array([137, 80])], 'a.png', { type: 'image/png' }));
    expect(image).toMatchObject({ part: { type: 'image', mediaType: 'image/png', data: 'iVA=' } });
    expect(await fromFile(new File([new Uint8Array([0xff, 0xfe, 0])], 'a.bin'))).toBe('notText');
    expect(await fromFile(new File([new Uint8Array(6 * 1_024 * 1_024)], 'big.txt'))).toBe('tooLarge');
  });

  test('alone make a message', () => {
    expect(toParts('  ', [fromText('p.txt', 'x')])).toMatchObject([{ type: 'file', name: 'p.txt' }]);
    expect(toParts('', [])).toEqual([]);
  });
});
