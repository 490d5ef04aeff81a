import { expect, test } from 'vitest';
import { toImageSize, toImageType, type ImageType } from './image-head.ts';

const GIF = 'R0lGODlhAwACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const LOSSY = 'UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=';
const LOSSLESS = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEUlEQVR4nGP4z8DwH4YZkDkAm34L9XKwuTwAAAAASUVORK5CYII=';
/** With a segment of an application before the frame. */
const JPEG = Buffer.from([
  ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
  ...[0xff, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 17, 8, 0, 2, 0, 3, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
]);
const EXTENDED = Buffer.concat([
  Buffer.from('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from([2, 0, 0, 1, 0, 1]),
]);

test.each<[string, Buffer, ImageType, number, number]>([
  ['PNG', Buffer.from(PNG, 'base64'), 'image/png', 3, 2],
  ['GIF', Buffer.from(GIF, 'base64'), 'image/gif', 3, 2],
  ['JPEG', JPEG, 'image/jpeg', 3, 2],
  ['lossy WebP', Buffer.from(LOSSY, 'base64'), 'image/webp', 1, 1],
  ['lossless WebP', Buffer.from(LOSSLESS, 'base64'), 'image/webp', 1, 1],
  ['extended WebP', EXTENDED, 'image/webp', 3, 65_538],
])('the size of a %s image is read, and not from its beginning alone', (_, bytes, type, width, height) => {
  expect(toImageType(bytes)).toBe(type);
  expect(toImageSize(bytes, type)).toEqual({ width, height });
  for (let length = 0; length < 16; length++) expect(toImageSize(bytes.subarray(0, length), type)).toBeUndefined();
});

test('other content is no image', () => {
  expect(toImageType(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeUndefined();
  expect(toImageSize(Buffer.from('RIFF\0\0\0\0WEBPXXXX0000000000000000'), 'image/webp')).toBeUndefined();
});
