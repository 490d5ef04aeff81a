import type { ImagePart } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { decode } from 'sixel/lib/Decoder.js';
import { expect, test } from 'vitest';
import { SixelImages } from './sixel-images.ts';

const SPACE = { columns: 60, rows: 15, cell: { width: 8, height: 16 } };
const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR = [0, 0, 0, 0];
const WHITE = [255, 255, 255, 255];

/** The left half has one colour, the right half another one. */
function toPixels(width: number, height: number, [left, right]: readonly [number[], number[]]): Buffer {
  return Buffer.from(
    Array.from({ length: width * height }, (_, index) => (index % width < width / 2 ? left : right)).flat(),
  );
}

function toPng(width: number, height: number, halves: readonly [number[], number[]]): Buffer {
  const png = new PNG({ width, height });
  toPixels(width, height, halves).copy(png.data);
  return PNG.sync.write(png);
}

/** Draws an image to its end. */
async function draw(image: ImagePart, space = SPACE): Promise<string[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const images = new SixelImages(resolve);
  if (!images.areDrawn([image], space)) {
    await promise;
    expect(images.areDrawn([image], space)).toBe(true);
  }
  return images.take(image, 2);
}

/** The image in the last line. */
function read(lines: readonly string[]): { width: number; height: number; at: (x: number, y: number) => number[] } {
  const { width, height, data32 } = decode(/\u001bP0;1;0q([\s\S]*)\u001b\\/.exec(lines.at(-1)!)![1]!);
  const bytes = new Uint8Array(data32.buffer, data32.byteOffset);
  return { width, height, at: (x, y) => [...bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] };
}

test.each([
  ['PNG', toPng(960, 100, [RED, BLUE])],
  ['JPEG', jpeg.encode({ width: 960, height: 100, data: toPixels(960, 100, [RED, BLUE]) }, 95).data],
])('a %s file is reduced to the space, with its colours', async (_, bytes) => {
  const lines = await draw(toImagePart(bytes)!);
  expect(lines).toHaveLength(Math.ceil(54 / 16));
  expect(lines!.slice(0, -1).join('')).toBe('');
  const { width, height, at } = read(lines!);
  expect([width, height]).toEqual([480, 50]);
  for (const [x, color] of [
    [10, RED],
    [470, BLUE],
  ] as const)
    at(x, 25).forEach((value, index) => expect(Math.abs(value - color[index]!)).toBeLessThan(8));
});

test('pixels that are transparent are white', async () => {
  const { at } = read((await draw(toImagePart(toPng(20, 12, [CLEAR, BLUE]))!))!);
  expect([at(3, 3), at(15, 3)]).toEqual([WHITE, BLUE]);
});

test('an image is returned once, and drawn again for another size', async () => {
  const image = toImagePart(toPng(960, 600, [RED, BLUE]))!;
  let resolve = (): void => {};
  const images = new SixelImages(() => resolve());
  const drawn = (): Promise<void> => new Promise((done) => (resolve = done));
  for (const rows of [10, 5]) {
    const space = { ...SPACE, rows };
    const isDone = drawn();
    expect(images.areDrawn([image], space)).toBe(false);
    await isDone;
    expect(images.areDrawn([image], space)).toBe(true);
  }
  expect(images.take(image, 0)).toHaveLength(5);
  expect(images.take(image, 0)).toBeUndefined();
});

const PNG_FILE = toPng(64, 64, [RED, BLUE]);
const withByte = (bytes: Buffer, at: number, value: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = value;
  return changed;
};

test.each([
  ['cut', PNG_FILE.subarray(0, 60)],
  ['damaged', withByte(PNG_FILE, 45, PNG_FILE[45]! ^ 255)],
  ['interlaced', withByte(PNG_FILE, 28, 1)],
  ['only a header', PNG_FILE.subarray(0, 26)],
  ['only a signature', PNG_FILE.subarray(0, 8)],
  ['of two headers', Buffer.concat([PNG_FILE.subarray(0, 33), PNG_FILE.subarray(8)])],
  [
    'a JPEG file of noise',
    Buffer.concat([Buffer.from([255, 216, 255, 192, 0, 17, 8, 0, 64, 0, 64]), Buffer.alloc(99, 7)]),
  ],
  [
    'too large',
    Buffer.concat([PNG_FILE.subarray(0, 16), Buffer.from([0, 0, 255, 255, 0, 0, 255, 255]), PNG_FILE.subarray(24)]),
  ],
  ['a GIF file', Buffer.from('GIF89a\u0010\0\u0010\0\0\0\0;', 'latin1')],
])('a file that is %s is not drawn', async (_, bytes) => {
  expect(await draw(toImagePart(bytes)!)).toBeUndefined();
});
