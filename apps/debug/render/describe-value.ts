import { SINK } from '../capture/sink.ts';
import { headOf } from './cut-text.ts';
import * as types from 'node:util/types';
import { isError, readOwn, readStack, readText } from '../stack/read-stack.ts';
import {
  lengthOfBuffer,
  lengthOfTyped,
  lengthOfView,
  sizeOfMap,
  sizeOfSet,
  tagOfTyped,
  takeEntries,
  textOfDate,
  textOfFunction,
  textOfRegExp,
} from './intrinsics.ts';
import { peekPromise } from './peek-promise.ts';
import { readPrivate } from './read-private.ts';

/** A property, an element or an entry. */
export interface Part {
  /** `user`, `[0]`, `"a key"`, `[Symbol(x)]`. */
  name: string;
  /** The step in a path, resolved by {@link readPart}. */
  step: string;
  /** The name of the property, if it has one: secrets have names. */
  key?: string | undefined;
  value: unknown;
  /** Text instead of a value: a getter that was not run, or an empty element. */
  note?: string | undefined;
}

export interface Description {
  /** `string`, `number`, `Array`, `Map`, the name of a class, … */
  type: string;
  /** The text of a value without parts; a prefix for others. */
  text?: string | undefined;
  /** Number of elements, entries, properties or characters. */
  size?: number | undefined;
  /** How the parts are written. Absent: a value without parts. */
  brackets?: '{}' | '[]' | undefined;
  /** At most `count` parts. */
  parts: (count: number) => Part[];
  /** Number of all parts. */
  total: number;
}

const NONE = (): Part[] => [];
/** Objects with more are read only in part: a list of all names would be as long. */
const MANY_ELEMENTS = 10_000;

/**
 * What a value is. Runs no code of the program: no getter, no trap of a proxy, no `toString`.
 *
 * @param isComplete False: without private fields, each of which costs a fraction of a millisecond.
 */
export function describeValue(value: unknown, isComplete = true): Description {
  if (typeof value === 'function') return describeFunction(value);
  if (typeof value !== 'object' || value === null) return describePrimitive(value);
  if (types.isProxy(value)) return { type: 'Proxy', text: '[Proxy]', parts: NONE, total: 0 };
  const type = nameOfClass(value);
  if (Array.isArray(value)) return describeElements(value, type, value.length);
  if (types.isTypedArray(value)) return describeTyped(value, type);
  if (types.isMap(value)) return describeEntries(value, type, 'map');
  if (types.isSet(value)) return describeEntries(value, type, 'set');
  return describeObject(value, type, isComplete);
}

function describePrimitive(value: unknown): Description {
  const leaf = { type: value === null ? 'null' : typeof value, parts: NONE, total: 0 };
  if (typeof value === 'string') return { ...leaf, size: value.length };
  if (typeof value === 'bigint') return { ...leaf, text: `${toDigits(value)}n` };
  if (Object.is(value, -0)) return { ...leaf, text: '-0' };
  return { ...leaf, text: String(value) };
}

/** A BigInt of a million digits needs seconds as a text. */
function toDigits(value: bigint): string {
  const limit = 10n ** 300n;
  return value < limit && value > -limit ? String(value) : '<over 300 digits>';
}

function describeFunction(value: object): Description {
  const proxy = types.isProxy(value);
  const name = proxy ? undefined : readOwn(value, 'name');
  const isClass = !proxy && textOfFunction(value).startsWith('class');
  const kind = proxy
    ? 'Proxy of a function'
    : isClass
      ? 'class'
      : types.isAsyncFunction(value)
        ? 'AsyncFunction'
        : 'Function';
  const text = `[${kind}${typeof name === 'string' && name !== '' ? ` ${name}` : proxy ? '' : ' (anonymous)'}]`;
  const keys = proxy
    ? []
    : Reflect.ownKeys(value).filter(
        (key) => !['length', 'name', 'prototype', 'arguments', 'caller'].includes(String(key)),
      );
  if (keys.length === 0) return { type: 'function', text, parts: NONE, total: 0 };
  return { type: 'function', text, brackets: '{}', ...properties(value, keys) };
}

function describeElements(value: object, type: string, length: number): Description {
  const named = length > MANY_ELEMENTS ? [] : Reflect.ownKeys(value).filter((key) => key !== 'length' && !isIndex(key));
  return {
    type,
    size: length,
    brackets: '[]',
    total: length + named.length,
    parts(count) {
      const elements = Array.from({ length: Math.min(count, length) }, (_, index) => {
        const part = toPart(value, String(index));
        return { ...part, name: `[${index}]`, key: undefined };
      });
      return [...elements, ...named.slice(0, count - elements.length).map((key) => toPart(value, key))];
    },
  };
}

function describeTyped(value: object, type: string): Description {
  const length = lengthOfTyped(value);
  if (type === 'Object') type = tagOfTyped(value);
  return {
    type,
    size: length,
    brackets: '[]',
    total: length,
    parts: (count) =>
      Array.from({ length: Math.min(count, length) }, (_, index) => ({
        name: `[${index}]`,
        step: `[${index}]`,
        value: (value as Uint8Array)[index],
      })),
  };
}

function describeEntries(value: object, type: string, kind: 'map' | 'set'): Description {
  const total = kind === 'map' ? sizeOfMap(value) : sizeOfSet(value);
  return {
    type,
    size: total,
    brackets: '{}',
    total,
    parts: (count) =>
      takeEntries(value, kind, count).map((entry, index) => {
        const [key] = entry;
        const step = `<${index}>`;
        if (kind === 'set') return { name: `[${index}]`, step, value: key };
        if (typeof key !== 'object' && typeof key !== 'function')
          return {
            name: typeof key === 'string' ? JSON.stringify(cut(key)) : (describePrimitive(key).text ?? ''),
            step,
            key: typeof key === 'string' ? key.slice(0, 200) : undefined,
            value: entry[1],
          };
        return { name: `[${index}] ${describeValue(key).type}`, step, value: entry[1] };
      }),
  };
}

function describeObject(value: object, type: string, isComplete: boolean): Description {
  const text = textOfObject(value, type);
  const keys = listKeys(value);
  const promise = types.isPromise(value) ? peekPromise(value) : undefined;
  const inner: Part[] =
    promise?.state === 'fulfilled' || promise?.state === 'rejected'
      ? [{ name: `<${promise.state}>`, step: '<result>', value: promise.result }]
      : [];
  if (isComplete)
    for (const { name, ...field } of readPrivate(value))
      inner.push({ ...field, name, step: `.${name}`, key: name.slice(1) });
  const prototype = findOddPrototype(value);
  if (prototype) inner.push({ name: '[[Prototype]]', step: '<prototype>', value: prototype });
  const all = properties(value, keys);
  return {
    type,
    ...(text === undefined && promise === undefined ? {} : { text: promise ? `Promise <${promise.state}>` : text }),
    ...(text === undefined && keys.length > 0 ? { size: keys.length } : {}),
    ...(text === undefined || keys.length + inner.length > 0 ? { brackets: '{}' as const } : {}),
    total: all.total + inner.length,
    parts: (count) => [...inner, ...all.parts(count - inner.length)],
  };
}

/** Long lists of names, which take a second to make, for one look. */
const longKeys = new Map<object, (string | symbol)[]>();

function ownKeys(value: object): (string | symbol)[] {
  const known = longKeys.get(value);
  if (known) return known;
  const keys = Reflect.ownKeys(value);
  // What this package leaves in realms of the program.
  const index = keys.length < MANY_ELEMENTS ? keys.indexOf(SINK) : -1;
  if (index >= 0) keys.splice(index, 1);
  if (keys.length > MANY_ELEMENTS) {
    if (longKeys.size === 0) queueMicrotask(() => longKeys.clear());
    longKeys.set(value, keys);
  }
  return keys;
}

/** Without what the text of the value shows already. */
function listKeys(value: object): (string | symbol)[] {
  const keys = ownKeys(value);
  if (isError(value)) return keys.filter((key) => key !== 'stack' && key !== 'message');
  if (types.isRegExp(value)) return keys.filter((key) => key !== 'lastIndex' || value.lastIndex !== 0);
  return types.isBoxedPrimitive(value) ? keys.filter((key) => !isIndex(key)) : keys;
}

function textOfObject(value: object, type: string): string | undefined {
  if (types.isDate(value)) return textOfDate(value);
  if (types.isRegExp(value)) return textOfRegExp(value);
  if (isError(value)) return `[${toErrorText(value)}]`;
  if (types.isArrayBuffer(value)) return `ArrayBuffer(${lengthOfBuffer(value, false)})`;
  if (types.isSharedArrayBuffer(value)) return `SharedArrayBuffer(${lengthOfBuffer(value, true)})`;
  if (types.isDataView(value)) return `DataView(${lengthOfView(value)})`;
  if (types.isWeakMap(value) || types.isWeakSet(value)) return `${type} <entries cannot be read>`;
  if (types.isModuleNamespaceObject(value)) return undefined;
  if (types.isBoxedPrimitive(value)) return `[${type}]`;
  if (types.isGeneratorObject(value)) return '[Generator]';
  if (types.isExternal(value)) return '[External]';
  return undefined;
}

/** The first lines of the stack, which begin with name and message. */
function toErrorText(error: Error): string {
  const name = readText(error, 'name') ?? 'Error';
  const message = readOwn(error, 'message');
  const head = typeof message === 'string' && message !== '' ? `${name}: ${cut(message, 2000)}` : name;
  const lines = (readStack(error) ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [head, ...lines.slice(0, 3)].join('\n');
}

function properties(value: object, keys: (string | symbol)[]): Pick<Description, 'parts' | 'total'> {
  return { total: keys.length, parts: (count) => keys.slice(0, Math.max(0, count)).map((key) => toPart(value, key)) };
}

function toPart(value: object, key: string | symbol): Part {
  const name =
    typeof key === 'symbol' ? `[${String(key)}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(cut(key));
  const step =
    typeof key === 'symbol'
      ? `<@${Object.getOwnPropertySymbols(value).indexOf(key)}>`
      : isIndex(key)
        ? `[${key}]`
        : /^[A-Za-z_$][\w$]*$/.test(key)
          ? `.${key}`
          : `[${JSON.stringify(key)}]`;
  const part = { name, step, key: typeof key === 'string' ? key : key.description };
  let found: PropertyDescriptor | undefined;
  try {
    found = Reflect.getOwnPropertyDescriptor(value, key);
  } catch (error) {
    // An export of a module that is not initialized.
    return {
      ...part,
      value: undefined,
      note: error instanceof ReferenceError ? '<not initialized>' : '<cannot be read>',
    };
  }
  if (!found) return { ...part, value: undefined, note: '<empty>' };
  if ('value' in found) return { ...part, value: found.value };
  return { ...part, value: undefined, note: found.get ? (found.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]' };
}

/** The name of the class of a value, from its prototypes. */
function nameOfClass(value: object): string {
  let prototype: object | null;
  for (prototype = Reflect.getPrototypeOf(value); prototype; prototype = Reflect.getPrototypeOf(prototype)) {
    if (types.isProxy(prototype)) return 'Object';
    const made = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value as unknown;
    if (typeof made !== 'function' || types.isProxy(made)) continue;
    const name = Reflect.getOwnPropertyDescriptor(made, 'name')?.value as unknown;
    if (typeof name === 'string' && name !== '') return headOf(name, 100);
  }
  return types.isModuleNamespaceObject(value) ? 'Module' : 'Object';
}

/** A prototype that is not that of a class: the name of the class says nothing about it. */
function findOddPrototype(value: object): object | undefined {
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === null) return undefined;
  if (types.isProxy(prototype)) return prototype;
  const own = (holder: object, key: string | symbol): unknown => Reflect.getOwnPropertyDescriptor(holder, key)?.value;
  const made = own(prototype, 'constructor');
  if (typeof made === 'function' && !types.isProxy(made) && own(made, 'prototype') === prototype) return undefined;
  // Objects of the runtime, such as iterators.
  if (typeof own(prototype, Symbol.toStringTag) === 'string' || isPrototypeOfClass(prototype)) return undefined;
  return prototype;
}

/** Of the runtime: its functions are native. */
function isPrototypeOfClass(prototype: object): boolean {
  return Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, '__defineGetter__');
}

function isIndex(key: string | symbol): boolean {
  return typeof key === 'string' && /^(?:0|[1-9]\d{0,9})$/.test(key);
}

function cut(text: string, length = 100): string {
  return text.length > length ? `${headOf(text, length)}…` : text;
}
