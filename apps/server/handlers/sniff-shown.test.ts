import { expect, test } from 'vitest';
import { sniffShown } from './sniff-shown.ts';

const toBytes = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['\u0089PNG\r\n\u001A\nrest', 'image/png'],
  ['\u00FF\u00D8\u00FFrest', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['RIFF1234WEBP', 'image/webp'],
  ['1234ftypavif', 'image/avif'],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['<?xml version="1.0"?>\n<!-- a picture -->\n<svg>', 'image/svg+xml'],
  ['<html><svg></svg></html>', undefined],
  ['<script>alert(1)</script>', undefined],
  ['%PDF-1.7', 'application/pdf'],
  ['text %PDF-1.7', undefined],
  ['', undefined],
])('the content %j is %s', (content, type) => {
  expect(sniffShown(toBytes(content))).toBe(type);
});
