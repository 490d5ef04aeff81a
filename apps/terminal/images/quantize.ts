import type { Pixels } from './pixels.ts';

type Color = readonly [red: number, green: number, blue: number];

/** An image with a palette. */
export interface IndexedImage {
  width: number;
  height: number;
  palette: readonly Color[];
  /** Of each pixel, its position in the palette. */
  indices: Uint8Array;
}

const MAX_COLORS = 256;
/** Bits of each channel by which colours are grouped where an image has too many. */
const GROUP_BITS = 5;

/** Pixels of equal or similar colours. */
interface Group {
  count: number;
  mean: Color;
}

/** Reduces an image without transparency to at most 256 colours: its own, or a palette with dithering. */
export function quantize(image: Pixels): IndexedImage {
  const { width, height, data } = image;
  const own = toOwnColors(data);
  if (!own) {
    const palette = cut(toGroups(data)).map(({ mean }) => mean);
    return { width, height, palette, indices: dither(image, palette) };
  }
  const indices = new Uint8Array(width * height);
  for (let pixel = 0; pixel < indices.length; pixel++) indices[pixel] = own.get(toColor(data, pixel * 4))!;
  const palette = [...own.keys()].map((color): Color => [color >> 16, (color >> 8) & 255, color & 255]);
  return { width, height, palette, indices };
}

function toColor(data: Uint8Array, at: number): number {
  return (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
}

/** The positions of the colours in a palette; undefined if they are too many. */
function toOwnColors(data: Uint8Array): Map<number, number> | undefined {
  const found = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const color = toColor(data, at);
    if (!found.has(color)) found.set(color, found.size);
    if (found.size > MAX_COLORS) return undefined;
  }
  return found;
}

function toKey(red: number, green: number, blue: number): number {
  const drop = 8 - GROUP_BITS;
  return ((red >> drop) << (2 * GROUP_BITS)) | ((green >> drop) << GROUP_BITS) | (blue >> drop);
}

function toGroups(data: Uint8Array): Group[] {
  const groups = new Map<number, { count: number; mean: [number, number, number] }>();
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
    const key = toKey(red, green, blue);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { count: 0, mean: [0, 0, 0] }));
    group.count++;
    group.mean[0] += red;
    group.mean[1] += green;
    group.mean[2] += blue;
  }
  for (const { mean, count } of groups.values()) mean.forEach((sum, channel) => (mean[channel] = sum / count));
  return [...groups.values()];
}

interface Box extends Group {
  groups: readonly Group[];
  /** The channel in which the pixels differ most from the mean. */
  channel: number;
  /** Sum of the squares of the differences in that channel. */
  error: number;
}

/** Divides colours into boxes, each time the one with the largest error, at its mean. */
function cut(groups: readonly Group[]): Box[] {
  const boxes = [toBox(groups)];
  while (boxes.length < MAX_COLORS) {
    const worst = boxes.reduce((one, other) => (other.error > one.error ? other : one));
    const { channel, mean } = worst;
    const isLow = (group: Group): boolean => group.mean[channel]! < mean[channel]!;
    const low = worst.groups.filter(isLow);
    if (low.length === 0) break;
    boxes.splice(boxes.indexOf(worst), 1, toBox(low), toBox(worst.groups.filter((group) => !isLow(group))));
  }
  return boxes;
}

function toBox(groups: readonly Group[]): Box {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const [red, green, blue] = [0, 1, 2].map((channel) => {
    const mean = groups.reduce((sum, group) => sum + group.mean[channel]! * group.count, 0) / count;
    return { mean, error: groups.reduce((sum, group) => sum + (group.mean[channel]! - mean) ** 2 * group.count, 0) };
  }) as [Difference, Difference, Difference];
  const errors = [red.error, green.error, blue.error];
  const error = Math.max(...errors);
  return { groups, count, mean: [red.mean, green.mean, blue.mean], channel: errors.indexOf(error), error };
}

interface Difference {
  mean: number;
  error: number;
}

/** The nearest colour of each pixel, with the error of its neighbours (Floyd-Steinberg). */
function dither({ width, height, data }: Pixels, palette: readonly Color[]): Uint8Array {
  const indices = new Uint8Array(width * height);
  const nearest = new Int16Array(1 << (3 * GROUP_BITS)).fill(-1);
  // With a pixel at both ends of each row, which takes the error that leaves the image.
  const stride = (width + 2) * 3;
  let [errors, below] = [new Float32Array(stride), new Float32Array(stride)];
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const x = pixel % width;
    if (x === 0) [errors, below] = [below, errors.fill(0)];
    const at = (x + 1) * 3;
    const wanted = [0, 1, 2].map((channel) => clamp(data[pixel * 4 + channel]! + errors[at + channel]!));
    const [red, green, blue] = wanted as [number, number, number];
    const key = toKey(red, green, blue);
    if (nearest[key] === -1) nearest[key] = findNearest([red, green, blue], palette);
    const index = nearest[key]!;
    indices[pixel] = index;
    for (let channel = 0; channel < 3; channel++) {
      const error = (wanted[channel]! - palette[index]![channel]!) / 16;
      errors[at + 3 + channel]! += error * 7;
      below[at - 3 + channel]! += error * 3;
      below[at + channel]! += error * 5;
      below[at + 3 + channel]! += error;
    }
  }
  return indices;
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}

function findNearest([red, green, blue]: Color, palette: readonly Color[]): number {
  let [found, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, color] of palette.entries()) {
    const distance = (color[0] - red) ** 2 + (color[1] - green) ** 2 + (color[2] - blue) ** 2;
    if (distance < least) [found, least] = [index, distance];
  }
  return found;
}
