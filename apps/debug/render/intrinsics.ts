/* oxlint-disable typescript/unbound-method -- functions of the runtime are kept and called with Reflect.apply. */
/** Functions of the runtime, taken before evaluated code can replace them. */
const getter = (holder: object, key: string | symbol): ((this: unknown) => unknown) =>
  Reflect.getOwnPropertyDescriptor(holder, key)!.get!;

const typedArray = Reflect.getPrototypeOf(Uint8Array.prototype)!;
const apply = Reflect.apply;
const mapSize = getter(Map.prototype, 'size');
const setSize = getter(Set.prototype, 'size');
const mapEntries = Map.prototype.entries;
const setValues = Set.prototype.values;
const mapNext = (Reflect.getPrototypeOf(new Map().entries()) as Iterator<unknown>).next;
const setNext = (Reflect.getPrototypeOf(new Set().values()) as Iterator<unknown>).next;
const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;
const typedLength = getter(typedArray, 'length');
const typedBuffer = getter(typedArray, 'buffer');
const typedOffset = getter(typedArray, 'byteOffset');
const typedBytes = getter(typedArray, 'byteLength');
const typedTag = getter(typedArray, Symbol.toStringTag);
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
const sharedLength = getter(SharedArrayBuffer.prototype, 'byteLength');
const viewLength = getter(DataView.prototype, 'byteLength');
const dateTime = Date.prototype.getTime;
const toISO = Date.prototype.toISOString;
const regexSource = getter(RegExp.prototype, 'source');
const regexFlags = [
  'hasIndices',
  'global',
  'ignoreCase',
  'multiline',
  'dotAll',
  'unicode',
  'unicodeSets',
  'sticky',
].map((key) => Reflect.getOwnPropertyDescriptor(RegExp.prototype, key)?.get);
const functionText = Function.prototype.toString;

export const sizeOfMap = (value: unknown): number => apply(mapSize, value, []) as number;
export const sizeOfSet = (value: unknown): number => apply(setSize, value, []) as number;
export const lengthOfTyped = (value: unknown): number => apply(typedLength, value, []) as number;
export const tagOfTyped = (value: unknown): string => apply(typedTag, value, []) as string;
/** A copy of the bytes of a typed array. */
export function bytesOfTyped(value: unknown): Uint8Array {
  const [buffer, offset, length] = [typedBuffer, typedOffset, typedBytes].map((read) => apply(read, value, []));
  return new Uint8Array(buffer as ArrayBuffer, offset as number, length as number).slice();
}
export const lengthOfView = (value: unknown): number => apply(viewLength, value, []) as number;
export const textOfFunction = (value: unknown): string => apply(functionText, value, []);

export function lengthOfBuffer(value: unknown, isShared: boolean): number {
  return apply(isShared ? sharedLength : bufferLength, value, []) as number;
}

/** ISO 8601, or `Invalid Date`. */
export function textOfDate(value: unknown): string {
  return Number.isNaN(apply(dateTime, value, [])) ? 'Invalid Date' : apply(toISO, value, []);
}

export function textOfRegExp(value: unknown): string {
  const flags = regexFlags
    .map((read, index) => (read && apply(read, value, []) === true ? 'dgimsuvy'[index] : ''))
    .join('');
  return `/${apply(regexSource, value, []) as string}/${flags}`;
}

/** The first entries of a Map or of a Set (whose entries have one element). */
export function takeEntries(value: unknown, kind: 'map' | 'set', count: number): unknown[][] {
  const [iterator, next] =
    kind === 'map' ? [apply(mapEntries, value, []), mapNext] : [apply(setValues, value, []), setNext];
  const taken: unknown[][] = [];
  while (taken.length < count) {
    const step = apply(next, iterator, []) as IteratorResult<unknown>;
    if (step.done === true) break;
    taken.push(kind === 'map' ? (step.value as unknown[]) : [step.value]);
  }
  return taken;
}

/** Visits each entry of a Map, and each element of a Set as both. */
export function visitEntries(value: unknown, kind: 'map' | 'set', visit: (value: unknown, key: unknown) => void): void {
  apply(kind === 'map' ? mapForEach : setForEach, value, [visit]);
}
