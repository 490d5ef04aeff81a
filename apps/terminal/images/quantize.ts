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
/** Bits of each channel that are dropped where an image has more colours. */
const DROPPED_BITS = 3;

/** Pixels of equal or similar colours. */
interface Group {
  count: number;
  mean: Color;
  indexed: number;
}

/**
 * Reduces an image without transparency to at most 256 colours: its own if it has no more, else those of a median cut.
 * Without dithering, so that areas stay short in the encoded data.
 */
export function quantize({ width, height, data }: Pixels): IndexedImage {
  const exact = toGroups(data, 0);
  const hasFew = exact.size <= MAX_COLORS;
  const groups = hasFew ? exact : toGroups(data, DROPPED_BITS);
  const palette = cut([...groups.values()]).map((box, index) => {
    for (const group of box) group.indexed = index;
    return toMean(box);
  });
  const indices = new Uint8Array(width * height);
  const bits = hasFew ? 0 : DROPPED_BITS;
  for (let pixel = 0; pixel < indices.length; pixel++)
    indices[pixel] = groups.get(toKey(data, pixel * 4, bits))!.indexed;
  return { width, height, palette, indices };
}

function toKey(data: Uint8Array, at: number, bits: number): number {
  return ((data[at]! >> bits) << 16) | ((data[at + 1]! >> bits) << 8) | (data[at + 2]! >> bits);
}

function toGroups(data: Uint8Array, bits: number): Map<number, Group> {
  const groups = new Map<number, { count: number; mean: [number, number, number]; indexed: number }>();
  for (let at = 0; at < data.length; at += 4) {
    const key = toKey(data, at, bits);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { count: 0, mean: [0, 0, 0], indexed: 0 }));
    group.count++;
    for (let channel = 0; channel < 3; channel++) group.mean[channel]! += data[at + channel]!;
  }
  for (const { mean, count } of groups.values()) mean.forEach((sum, channel) => (mean[channel] = sum / count));
  return groups;
}

/** Divides groups into boxes, each time the one with the most pixels and the widest range, at the middle of its pixels. */
function cut(groups: Group[]): Group[][] {
  const boxes = [toBox(groups)];
  while (boxes.length < MAX_COLORS) {
    const widest = boxes.reduce((one, other) => (other.weight > one.weight ? other : one));
    if (widest.weight === 0) break;
    const { channel, groups: members } = widest;
    members.sort((one, other) => one.mean[channel]! - other.mean[channel]!);
    const half = members.reduce((sum, { count }) => sum + count, 0) / 2;
    let [middle, before] = [0, 0];
    while (before < half && middle < members.length - 1) before += members[middle++]!.count;
    boxes.splice(boxes.indexOf(widest), 1, toBox(members.slice(0, middle)), toBox(members.slice(middle)));
  }
  return boxes.map((box) => box.groups);
}

interface Box {
  groups: Group[];
  /** The channel with the widest range. */
  channel: number;
  /** 0 for a box that cannot be divided. */
  weight: number;
}

function toBox(groups: Group[]): Box {
  const ranges = [0, 1, 2].map((channel) => {
    let [least, most] = [255, 0];
    for (const { mean } of groups) {
      least = Math.min(least, mean[channel]!);
      most = Math.max(most, mean[channel]!);
    }
    return most - least;
  });
  const range = Math.max(...ranges);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return { groups, channel: ranges.indexOf(range), weight: groups.length < 2 ? 0 : range * Math.sqrt(count) };
}

function toMean(groups: readonly Group[]): Color {
  const sums = [0, 0, 0];
  let all = 0;
  for (const { count, mean } of groups) {
    all += count;
    mean.forEach((value, channel) => (sums[channel]! += value * count));
  }
  return [sums[0]! / all, sums[1]! / all, sums[2]! / all];
}
