import { expect, test } from 'vitest';
import { showName } from './show-name.ts';

test.each([
  ['plain.txt', [...Buffer.from('plain.txt')]],
  ['größe漢😀', [...Buffer.from('größe漢😀')]],
  ['bad\\xff\\xfename', [0x62, 0x61, 0x64, 0xff, 0xfe, ...Buffer.from('name')]],
  ['é\\xe9', [0xc3, 0xa9, 0xe9]],
  ['\\xe4\\xb8', [0xe4, 0xb8]],
  ['\uFFFD\\x80', [0xef, 0xbf, 0xbd, 0x80]],
])('%s', (name, bytes) => {
  expect(showName(Uint8Array.from(bytes))).toBe(name);
});
