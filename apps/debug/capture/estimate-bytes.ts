import { isMap, isProxy, isSet, isTypedArray } from 'node:util/types';
import { lengthOfTyped, sizeOfMap, sizeOfSet } from '../render/intrinsics.ts';

/** Values that are looked at for one estimate. */
const MOST = 200;

/** About how much memory values keep: two levels, without running code of the program. */
export function estimateBytes(values: Iterable<unknown>): number {
  const left = { values: MOST };
  let sum = 0;
  for (const value of values) sum += estimate(value, 1, left);
  return sum;
}

function estimate(value: unknown, depth: number, left: { values: number }): number {
  left.values--;
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || isProxy(value)) return 8;
  if (isTypedArray(value)) return 64 + lengthOfTyped(value) * 8;
  if (isMap(value)) return 64 + sizeOfMap(value) * 64;
  if (isSet(value)) return 64 + sizeOfSet(value) * 32;
  if (!Array.isArray(value)) return 64;
  let sum = 64 + value.length * 8;
  const count = Math.min(value.length, 20);
  if (depth === 0 || left.values <= 0 || count === 0) return sum;
  let some = 0;
  for (let at = 0; at < count; at++)
    some += estimate(Reflect.getOwnPropertyDescriptor(value, at)?.value, depth - 1, left);
  sum += (some / count) * value.length;
  return sum;
}
