import type { ImagePart } from '@klaus/sdk';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';

/** Four bytes per pixel: red, green, blue and alpha. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Bound of the memory of the JPEG decoder, for 20 megapixels. */
const MAX_JPEG_MB = 512;
const MAX_JPEG_MEGAPIXELS = 20;

/** Byte of a PNG file that is 1 for interlaced rows. */
const PNG_INTERLACE = 28;

/** Decodes a PNG or JPEG file. Throws for any other file, a damaged one and an interlaced PNG. */
export function decode(bytes: Buffer, mediaType: ImagePart['mediaType']): Pixels {
  if (mediaType === 'image/png') {
    // The decoder bounds the size of what it decompresses only without interlace, and by the last header.
    if (bytes[PNG_INTERLACE] !== 0 || bytes.indexOf('IHDR', PNG_INTERLACE) !== -1) throw new Error('not supported');
    return PNG.sync.read(bytes);
  }
  if (mediaType !== 'image/jpeg') throw new Error('not supported');
  const bounds = { maxResolutionInMP: MAX_JPEG_MEGAPIXELS, maxMemoryUsageInMB: MAX_JPEG_MB };
  return jpeg.decode(bytes, { useTArray: true, ...bounds });
}

/** Reduces an image to a size by the mean of the pixels that fall together, on white where it is transparent. */
export function reduce(image: Pixels, width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = toSpan(y, height, image.height);
    for (let x = 0; x < width; x++) {
      const [left, right] = toSpan(x, width, image.width);
      const mean = toMean(image, { top, bottom, left, right });
      data.set(mean, (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

/** The range of source pixels of one pixel, the end excluded. */
function toSpan(index: number, count: number, source: number): readonly [number, number] {
  const from = Math.floor((index * source) / count);
  return [from, Math.max(from + 1, Math.floor(((index + 1) * source) / count))];
}

type Area = Readonly<Record<'top' | 'bottom' | 'left' | 'right', number>>;

function toMean(
  { data, width }: Pixels,
  { top, bottom, left, right }: Area,
): readonly [number, number, number, number] {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      const alpha = data[at + 3]! / 255;
      const white = 255 * (1 - alpha);
      red += data[at]! * alpha + white;
      green += data[at + 1]! * alpha + white;
      blue += data[at + 2]! * alpha + white;
    }
  }
  const count = (bottom - top) * (right - left);
  return [Math.round(red / count), Math.round(green / count), Math.round(blue / count), 255];
}
