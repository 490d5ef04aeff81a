import { decode } from 'sixel/lib/Decoder.js';
import { expect, test } from 'vitest';
import { encodeSixel } from './encode-sixel.ts';
import { reduce } from './pixels.ts';
import { quantize } from './quantize.ts';

/** The pixels of an encoded image, read by an independent decoder. */
function read(sixel: string): { width: number; height: number; data: Uint8Array } {
  const { width, height, data32 } = decode(/^\u001bP0;1;0q([^\u001b]*)\u001b\\$/.exec(sixel)![1]!);
  return { width, height, data: new Uint8Array(data32.buffer, data32.byteOffset, width * height * 4) };
}

/** @param color The channels of a pixel. */
function toPixels(width: number, height: number, color: (x: number, y: number) => readonly number[]): Uint8Array {
  return new Uint8Array(
    Array.from({ length: width * height }, (_, at) => [...color(at % width, Math.floor(at / width)), 255]).flat(),
  );
}

function toLargestError(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at]!)), 0);
}

test.each([
  [1, 1],
  [3, 5],
  [7, 6],
  [40, 13],
  [300, 31],
])('an image of %i times %i pixels and few colours is read back', (width, height) => {
  const colors = [
    [255, 0, 0],
    [0, 0, 255],
    [0, 255, 0],
    [0, 0, 0],
    [255, 255, 255],
  ] as const;
  const data = toPixels(width, height, (x, y) => colors[(Math.floor(x / 3) + y * 2) % colors.length]!);
  const decoded = read(encodeSixel(quantize({ width, height, data })));
  expect([decoded.width, decoded.height]).toEqual([width, height]);
  expect(toLargestError(decoded.data, data)).toBe(0);
});

test('256 colours are kept as exactly as percents can', () => {
  const data = toPixels(16, 16, (x, y) => [x * 17, y * 17, 128]);
  const image = quantize({ width: 16, height: 16, data });
  expect(image.palette).toHaveLength(256);
  expect(toLargestError(read(encodeSixel(image)).data, data)).toBeLessThanOrEqual(2);
});

test('an image of more colours has 256, and areas keep their mean colour', () => {
  const [width, height] = [200, 100];
  const data = toPixels(width, height, (x, y) => [x, y * 2, 255 - x]);
  const image = quantize({ width, height, data });
  expect(image.palette).toHaveLength(256);
  const decoded = reduce(read(encodeSixel(image)), width / 10, height / 10);
  expect(toLargestError(decoded.data, reduce({ width, height, data }, width / 10, height / 10).data)).toBeLessThan(6);
});

test('a small area keeps its colour beside thousands of others', () => {
  const data = toPixels(200, 100, (x, y) => (x < 4 && y < 4 ? [255, 0, 0] : [0, (x + y) % 200, x]));
  const decoded = read(encodeSixel(quantize({ width: 200, height: 100, data })));
  expect([...decoded.data.subarray(0, 12)]).toEqual([...data.subarray(0, 12)]);
});
