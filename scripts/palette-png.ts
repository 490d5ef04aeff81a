import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Least distance between two colours of a palette. */
const APART = 18;

/**
 * The same picture with few colours, which is much smaller where a picture shows text. The most frequent ones are kept,
 * and rare ones that none of them is like.
 */
export function toPalettePng(png: Buffer, colors = 128): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const pixels = Array.from({ length: width * height }, (_, index) => data.readUInt32BE(index * 4) >>> 8);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette: number[] = [];
  for (const color of [...counts.keys()].sort((one, two) => counts.get(two)! - counts.get(one)!)) {
    if (palette.length === colors) break;
    if (palette.every((each) => toDistance(each, color) > APART ** 2)) palette.push(color);
  }
  const nearest = new Map([...counts.keys()].map((color) => [color, findNearest(palette, color)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      rows[row * (width + 1) + 1 + column] = nearest.get(pixels[row * width + column]!)!;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const table = Buffer.from(palette.flatMap((color) => [color >>> 16, (color >>> 8) & 255, color & 255]));
  const chunks = [toChunk('IHDR', header), toChunk('PLTE', table), toChunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([SIGNATURE, ...chunks, toChunk('IEND', Buffer.alloc(0))]);
}

function findNearest(palette: readonly number[], color: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, each] of palette.entries()) {
    const distance = toDistance(each, color);
    if (distance >= least) continue;
    least = distance;
    best = index;
  }
  return best;
}

function toDistance(one: number, two: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >>> shift) & 255) - ((two >>> shift) & 255)) ** 2, 0);
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
