import { runInContext, Script, type Context } from 'node:vm';
import { getHeapStatistics } from 'node:v8';

/**
 * Makes functions of a realm refuse sizes at which one call, which nothing can stop, takes all memory or many seconds.
 *
 * @returns Undoes it.
 */
export function limitSizes(context: Context, most = MOST): () => void {
  return (runInContext(LIMITS, context) as Limit)(most);
}

/** {@link limitSizes} for the functions of the program itself, which code reaches by its objects: `list.constructor`. */
export function limitOwnSizes(): () => void {
  script ??= new Script(LIMITS);
  return (script.runInThisContext() as Limit)(readMost());
}

type Limit = (most: number) => () => void;

/** Elements of a list, and characters of a text, that one call may make. */
const MOST = 5_000_000;
/** Bytes of the heap for each of them, with room for several such values. */
const COST = 64;
let script: Script | undefined;

/** Fewer on a heap that is small or nearly full. */
export function readMost(): number {
  const { heap_size_limit, used_heap_size } = getHeapStatistics();
  return Math.max(10_000, Math.min(MOST, Math.floor((heap_size_limit - used_heap_size) / COST)));
}

const VIEWS =
  'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Float16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array';
/** Classes of the realm that are variables of it for this reason, and no values of the program. */
export const LIMITED_CLASSES: ReadonlySet<string> = new Set([
  'Array',
  'ArrayBuffer',
  'SharedArrayBuffer',
  ...VIEWS.split(' '),
]);

const LIMITS = `((most) => {
  const BYTES = most * 8;
  const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
  const toNumber = Number, toText = String, isView = ArrayBuffer.isView, isArray = Array.isArray, floor = Math.floor;
  const undo = [];
  const check = (size, limit = most) => {
    if (size > limit) throw new RangeError('Evaluated code cannot make a value of the size ' + size + '.');
  };
  /** The length of a list or of something like it, which is read by the function again: no getter may give another one. */
  const sizeOf = (value) => {
    if (typeof value === 'string') return value.length;
    if (value === null || typeof value !== 'object') return typeof value === 'number' ? value : 0;
    if (isArray(value) || isView(value)) return toNumber(value.length ?? value.byteLength);
    for (let holder = value, depth = 0; holder !== null && depth < 100; holder = getPrototypeOf(holder), depth++) {
      const own = getOwnPropertyDescriptor(holder, 'length') ?? getOwnPropertyDescriptor(holder, 'byteLength');
      if (own !== undefined) return 'value' in own ? (typeof own.value === 'number' ? own.value : typeof own.value === 'string' ? toNumber(own.value) : 0) : 0;
    }
    return 0;
  };
  const originals = new Map();
  const put = (holder, name, value) => {
    const own = getOwnPropertyDescriptor(holder, name);
    if (own !== undefined && !own.configurable && !own.writable) return;
    if (!defineProperty(holder, name, { ...own, value })) return;
    undo[undo.length] = () => (own === undefined ? deleteProperty(holder, name) : defineProperty(holder, name, own));
  };
  /** The function with a check of its receiver and its arguments, which the check can replace. */
  const limit = (holder, name, measure) => {
    const original = getOwnPropertyDescriptor(holder, name)?.value;
    if (typeof original !== 'function') return;
    const made = { [name](...values) {
      return apply(original, originals.get(this) ?? this, measure(this, ...values) ?? values);
    } }[name];
    put(holder, name, made);
  };
  /** The class with a check of its arguments. */
  const limitClass = (name, measure) => {
    const Original = globalThis[name];
    if (typeof Original !== 'function') return;
    const made = function (...values) {
      measure(...values);
      return new.target === undefined ? apply(Original, this, values) : construct(Original, values, new.target === made ? Original : new.target);
    };
    for (const key of ownKeys(Original)) {
      const own = getOwnPropertyDescriptor(Original, key);
      const found = getOwnPropertyDescriptor(made, key);
      if (found?.configurable !== false) defineProperty(made, key, own);
      else if (found.writable) defineProperty(made, key, { value: own.value });
    }
    if (getPrototypeOf(Original) !== Function.prototype) setPrototypeOf(made, getPrototypeOf(Original));
    originals.set(made, Original);
    put(Original.prototype, 'constructor', made);
    put(globalThis, name, made);
  };
  const array = Array.prototype, text = String.prototype;
  const receiver = (self) => check(sizeOf(self));
  for (const name of ownKeys(array))
    if (typeof name === 'string' && !['constructor', 'length', 'join', 'toString', 'toLocaleString', 'concat', 'flat', 'flatMap', 'at', 'push', 'pop', 'keys', 'values', 'entries'].includes(name)) limit(array, name, receiver);
  const joined = (self, separator) => {
    const size = sizeOf(self);
    check(size);
    let sum = separator === undefined ? size : toText(separator).length * size;
    if (isArray(self)) for (let at = 0; at < size && sum <= most; at++) {
      const own = getOwnPropertyDescriptor(self, at)?.value;
      sum += typeof own === 'string' ? own.length : 1;
    }
    check(sum);
  };
  for (const name of ['join', 'toString', 'toLocaleString']) limit(array, name, (self, separator) => joined(self, name === 'join' ? separator : undefined));
  limit(array, 'concat', (self, ...values) => check(values.reduce((sum, value) => sum + (isArray(value) ? sizeOf(value) : 1), sizeOf(self))));
  const countFlat = (value, depth, left) => {
    let count = 0;
    for (let at = 0, size = sizeOf(value); at < size; at++) {
      const own = getOwnPropertyDescriptor(value, at)?.value;
      count += depth > 0 && isArray(own) ? countFlat(own, depth - 1, left - count) : 1;
      if (count > left) return count;
    }
    return count;
  };
  limit(array, 'flat', (self, depth = 1) => { receiver(self); check(countFlat(self, toNumber(depth), most)); });
  limit(array, 'flatMap', (self, callback, that) => {
    receiver(self);
    let count = 0;
    return [(...values) => {
      const made = apply(callback, that, values);
      check(count += isArray(made) ? sizeOf(made) : 1);
      return made;
    }];
  });
  limit(Array, 'from', (_self, value) => check(sizeOf(value)));
  const views = getPrototypeOf(Int8Array);
  for (const name of ['from', 'of']) limit(views, name, (_self, value) => check(sizeOf(value)));
  for (const name of ownKeys(views.prototype))
    if (typeof getOwnPropertyDescriptor(views.prototype, name)?.value === 'function' && name !== 'constructor') limit(views.prototype, name, (self) => check(sizeOf(self), BYTES));
  limit(text, 'repeat', (self, count) => check(toText(self).length * floor(toNumber(count))));
  for (const name of ['padStart', 'padEnd']) limit(text, name, (self, count) => check(toNumber(count)));
  limit(text, 'concat', (self, ...values) => check(values.reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), toText(self).length)));
  for (const name of ['split', 'match', 'matchAll', 'normalize', 'toLowerCase', 'toUpperCase', 'toLocaleLowerCase', 'toLocaleUpperCase', 'localeCompare', 'search', 'isWellFormed', 'toWellFormed'])
    limit(text, name, (self) => check(toText(self).length));
  for (const name of ['replace', 'replaceAll'])
    limit(text, name, (self, pattern, by) => {
      const size = toText(self).length;
      const isOne = name === 'replace' && typeof pattern === 'string';
      check(size);
      if (typeof by === 'string') check(isOne ? size + by.length : by.includes('$') ? size * (by.length + size) : size * by.length, most * 10);
    });
  for (const name of ['keys', 'values', 'entries', 'assign', 'getOwnPropertyNames', 'getOwnPropertyDescriptors', 'fromEntries', 'freeze', 'isFrozen'])
    limit(Object, name, (_self, ...values) => values.forEach((value) => check(sizeOf(value))));
  limit(Reflect, 'ownKeys', (_self, value) => check(sizeOf(value)));
  for (const [holder, name] of [[Reflect, 'apply'], [Reflect, 'construct']]) limit(holder, name, (_self, target, first, second) => check(sizeOf(name === 'apply' ? second : first)));
  limit(Function.prototype, 'apply', (_self, _this, values) => check(sizeOf(values)));
  for (const name of ['stringify', 'parse']) limit(JSON, name, (_self, value) => check(typeof value === 'number' ? 0 : sizeOf(value)));
  for (const name of ['asIntN', 'asUintN']) limit(BigInt, name, (_self, bits) => check(toNumber(bits)));
  for (const name of ['encodeURIComponent', 'encodeURI', 'decodeURIComponent', 'decodeURI', 'escape', 'unescape', 'btoa', 'atob', 'structuredClone'])
    limit(globalThis, name, (_self, value) => check(typeof value === 'number' ? 0 : sizeOf(value)));
  limitClass('Array', (...values) => { if (values.length === 1) check(sizeOf(values[0])); });
  for (const name of ['ArrayBuffer', 'SharedArrayBuffer']) limitClass(name, (size, options) => { check(toNumber(size), BYTES); check(toNumber(options?.maxByteLength ?? 0), BYTES); });
  for (const name of '${VIEWS}'.split(' '))
    limitClass(name, (first) => { if (!isView(first)) check(typeof first === 'object' ? sizeOf(first) : toNumber(first), BYTES / 8); });
  return () => { for (let at = undo.length - 1; at >= 0; at--) undo[at](); undo.length = 0; };
})`;
