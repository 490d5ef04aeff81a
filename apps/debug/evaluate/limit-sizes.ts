import { runInContext, type Context } from 'node:vm';

/**
 * Makes functions of a realm refuse sizes at which one call, which nothing can stop, takes all memory or many seconds.
 * Code that has objects of the program can still reach the functions of the program: `list.constructor`.
 */
export function limitSizes(context: Context): void {
  runInContext(LIMITS, context);
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

const LIMITS = `(() => {
  const ELEMENTS = 5_000_000, CHARACTERS = 50_000_000, BYTES = 200_000_000;
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const toNumber = Number, toText = String, toBig = BigInt, isView = ArrayBuffer.isView;
  const check = (size, most) => {
    if (size > most) throw new RangeError('Evaluated code cannot make a value of the size ' + size + '.');
  };
  const sizeOf = (value) => (typeof value === 'number' ? value : value !== null && typeof value === 'object' ? toNumber(value.length ?? value.byteLength ?? 0) : 0);
  const originals = new Map();
  const put = (holder, name, value) => defineProperty(holder, name, { ...getOwnPropertyDescriptor(holder, name), value });
  /** The function with a check of its receiver and its arguments. */
  const limit = (holder, name, measure) => {
    const original = getOwnPropertyDescriptor(holder, name)?.value;
    if (typeof original !== 'function') return;
    const made = { [name](...values) {
      measure(this, ...values);
      return apply(original, originals.get(this) ?? this, values);
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
      if (getOwnPropertyDescriptor(made, key)?.configurable !== false) defineProperty(made, key, own);
      else put(made, key, own.value);
    }
    if (Reflect.getPrototypeOf(Original) !== Function.prototype) Reflect.setPrototypeOf(made, Reflect.getPrototypeOf(Original));
    originals.set(made, Original);
    put(Original.prototype, 'constructor', made);
    defineProperty(globalThis, name, { value: made, writable: true, configurable: true, enumerable: false });
  };
  const array = Array.prototype, text = String.prototype;
  const elements = (value) => check(sizeOf(value), ELEMENTS);
  const receiver = (self) => elements(self);
  for (const name of ['fill', 'concat', 'flat', 'join', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'splice', 'toSpliced', 'with', 'copyWithin', 'toString', 'includes', 'indexOf', 'lastIndexOf', 'unshift', 'shift'])
    limit(array, name, receiver);
  limit(Array, 'from', (_self, value) => { elements(value); if (typeof value === 'string') check(value.length, ELEMENTS); });
  limit(Array, 'of', () => {});
  const views = Reflect.getPrototypeOf(Int8Array);
  for (const name of ['from', 'of']) limit(views, name, (_self, value) => elements(value));
  for (const name of ['repeat', 'padStart', 'padEnd'])
    limit(text, name, (self, count) => check(name === 'repeat' ? toText(self).length * toNumber(count) : toNumber(count), CHARACTERS));
  for (const name of ['split', 'replace', 'replaceAll', 'match', 'matchAll', 'normalize', 'toLowerCase', 'toUpperCase'])
    limit(text, name, (self) => check(toText(self).length, ELEMENTS * 2));
  limit(JSON, 'stringify', (_self, value) => elements(value));
  limit(JSON, 'parse', (_self, value) => check(toText(value).length, CHARACTERS));
  for (const name of ['asIntN', 'asUintN']) limit(toBig, name, (_self, bits) => check(toNumber(bits), ELEMENTS));
  limitClass('Array', (...values) => { if (values.length === 1) elements(values[0]); });
  for (const name of ['ArrayBuffer', 'SharedArrayBuffer']) limitClass(name, (size, options) => { check(toNumber(size), BYTES); check(toNumber(options?.maxByteLength ?? 0), BYTES); });
  for (const name of '${VIEWS}'.split(' '))
    limitClass(name, (first) => { if (!isView(first)) check(sizeOf(first), BYTES / 8); });
})()`;
