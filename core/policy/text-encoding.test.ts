import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeContent, encodeContent, type TextEncoding } from './text-encoding.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf16 = (text: string, isLittle = true): Uint8Array => {
  const buffer = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return new Uint8Array(isLittle ? buffer : buffer.swap16());
};

test.each<[string, Uint8Array, TextEncoding, string]>([
  ['ASCII', Buffer.from('plain\n'), 'utf-8', 'plain\n'],
  ['UTF-8', Buffer.from('Größe 漢字\n'), 'utf-8', 'Größe 漢字\n'],
  ['Latin-1', Buffer.from('Größe: 5 µm\r\n', 'latin1'), 'windows-1252', 'Größe: 5 µm\r\n'],
  ['windows-1252', bytes(0x80, 0x20, 0x93, 0x61, 0x62, 0x63, 0x64, 0x94, 0x0a), 'windows-1252', '€ “abcd”\n'],
  ['UTF-16 LE', utf16('a漢\n'), 'utf-16le', '\uFEFFa漢\n'],
  ['UTF-16 BE', utf16('a漢\n', false), 'utf-16be', '\uFEFFa漢\n'],
])('%s is read, and written byte for byte', (_name, content, encoding, text) => {
  expect(decodeContent(content)).toEqual({ text, encoding });
  const encoded = encodeContent(text, encoding);
  expect('content' in encoded && Buffer.from(encoded.content).equals(Buffer.from(content))).toBe(true);
});

test.each<[string, Uint8Array]>([
  ['a PNG image', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
  ['gzip data', gzipSync('some text that is packed')],
  ['an ELF program', bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0)],
  ['UTF-16 without a mark', Buffer.from('text', 'utf16le')],
  ['half a character of UTF-16', utf16('ab').subarray(0, 5)],
  ['bytes of every kind', Uint8Array.from({ length: 256 }, (_, at) => at)],
  ['high bytes alone', bytes(0xe4, 0xf6, 0xfc, 0xdf, 0xe4)],
])('%s is no text', (_name, content) => {
  expect(decodeContent(content)).toBeUndefined();
});

test('random bytes are no text', () => {
  for (let round = 0; round < 500; round++) expect(decodeContent(randomBytes(64))).toBeUndefined();
});

test('every byte of windows-1252 comes back as it was', () => {
  for (let byte = 0x80; byte < 0x100; byte++) {
    const content = Buffer.concat([Buffer.from('some plain text '), bytes(byte), Buffer.from(' and more\n')]);
    const decoded = decodeContent(content)!;
    expect(decoded.encoding).toBe('windows-1252');
    const encoded = encodeContent(decoded.text, 'windows-1252');
    expect('content' in encoded && content.equals(encoded.content)).toBe(true);
  }
});

test('a character that an encoding does not have is named', () => {
  expect(encodeContent('a → b', 'windows-1252')).toEqual({ missing: '→' });
  expect(encodeContent('a 😀', 'windows-1252')).toEqual({ missing: '😀' });
});

test('the beginning of a file may end within a character', () => {
  const content = Buffer.from('漢字');
  expect(decodeContent(content.subarray(0, 4), { isComplete: false })).toMatchObject({ encoding: 'utf-8' });
  expect(decodeContent(utf16('漢字').subarray(0, 5), { isComplete: false })).toMatchObject({ encoding: 'utf-16le' });
});
