import { expect, test } from 'vitest';
import { countBytes } from './count-bytes.ts';

test.each(['', 'plain', 'é', '漢字', '😀 and text', 'x\u{10FFFF}'])('the UTF-8 bytes of %j are counted', (text) => {
  expect(countBytes(text)).toBe(Buffer.byteLength(text));
});
