import * as types from 'node:util/types';
import { runInContext, type Context } from 'node:vm';
import { lengthOfTyped, tagOfTyped, takeEntries, textOfDate, textOfRegExp } from '../render/intrinsics.ts';
import { nameOfClass } from '../render/describe-value.ts';
import { isError, readStack, readText } from '../stack/read-stack.ts';

/** Makes objects of a realm out of primitives. No object of the program reaches it. */
interface Maker {
  object(className: string): object;
  array(): object;
  map(): object;
  set(): object;
  date(text: string): object;
  regexp(source: string, flags: string): object;
  error(name: string, message: string, stack: string): object;
  typed(tag: string, length: number): object;
  method(name: string): object;
  put(target: object, key: string, value: unknown): void;
  entry(target: object, key: unknown, value: unknown): void;
  element(target: object, value: unknown): void;
  freeze(target: object): void;
}

const MAKER = `(() => {
  const { freeze, defineProperty } = Object;
  const refuse = (name) => { throw new TypeError('Cannot change a value of the program (' + name + ').'); };
  class FrozenMap extends Map {
    add(key, value) { super.set(key, value); }
    set() { refuse('Map'); } delete() { refuse('Map'); } clear() { refuse('Map'); }
  }
  class FrozenSet extends Set {
    put(value) { super.add(value); }
    add() { refuse('Set'); } delete() { refuse('Set'); } clear() { refuse('Set'); }
  }
  const putIn = FrozenMap.prototype.add, putOf = FrozenSet.prototype.put;
  delete FrozenMap.prototype.add; delete FrozenSet.prototype.put;
  const apply = Reflect.apply;
  const classes = new Map();
  const setters = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'));
  class FrozenDate extends Date {}
  for (const name of setters) FrozenDate.prototype[name] = () => refuse('Date');
  for (const one of [FrozenMap, FrozenSet, FrozenDate]) {
    defineProperty(one, 'name', { value: one.name.slice(6) });
    freeze(one.prototype); freeze(one);
  }
  return {
    object(name) {
      if (name === 'Object') return {};
      if (!classes.has(name)) { const made = class {}; defineProperty(made, 'name', { value: name }); classes.set(name, made); }
      return new (classes.get(name))();
    },
    array: () => [],
    map: () => new FrozenMap(),
    set: () => new FrozenSet(),
    date: (text) => new FrozenDate(text),
    regexp: (source, flags) => new RegExp(source, flags),
    error(name, message, stack) {
      const made = new (typeof globalThis[name] === 'function' && name.endsWith('Error') ? globalThis[name] : Error)(message);
      defineProperty(made, 'name', { value: name });
      defineProperty(made, 'stack', { value: stack });
      return made;
    },
    typed: (tag, length) => new globalThis[tag](length),
    method: (name) => () => { throw new TypeError('The function ' + name + ' of the program cannot be called on a copy.'); },
    put(target, key, value) { defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true }); },
    entry: (target, key, value) => apply(putIn, target, [key, value]),
    element: (target, value) => apply(putOf, target, [value]),
    freeze,
  };
})()`;
/** Removed from the realm: what runs code later. Nothing in it can make a promise. */
const PRELUDE = `(info) => {
  for (const name of ['FinalizationRegistry', 'WeakRef', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'Promise', 'AsyncDisposableStack'])
    delete globalThis[name];
  delete Array.fromAsync;
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined });
  const { memory, uptime, cwd, ...process } = JSON.parse(info);
  globalThis.process = { ...process, memoryUsage: () => memory, uptime: () => uptime, cwd: () => cwd };
  globalThis.structuredClone = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(structuredClone);
    if (value instanceof Map) return new Map([...value].map(structuredClone));
    if (value instanceof Set) return new Set([...value].map(structuredClone));
    if (value instanceof Date) return new Date(value.getTime());
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structuredClone(one)]));
  };
  const lines = [];
  const write = (level) => (...values) => { lines.push({ level, values }); };
  globalThis.console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((level) => [level, write(level)]));
  return lines;
}`;
const NODES = 50_000;
const BYTES = 5_000_000;

export interface Printed {
  level: string;
  values: unknown[];
}

/** Prepares an isolated realm. The result, an array of the realm, receives what its code prints. */
export function prepareRealm(context: Context): unknown {
  const { version, versions, platform, arch, pid, ppid, argv, execArgv, execPath, title, exitCode } = process;
  const plain = { version, versions, platform, arch, pid, ppid, argv, execArgv, execPath, title, exitCode };
  const info = {
    ...plain,
    memory: process.memoryUsage(),
    uptime: process.uptime(),
    cwd: process.cwd(),
    env: process.env,
  };
  return (runInContext(PRELUDE, context) as (info: string) => unknown)(JSON.stringify(info));
}

/** Copies values into the realm, frozen and without their methods. The same object becomes the same copy. */
export function copyValue(context: Context): (value: unknown) => unknown {
  const maker = runInContext(MAKER, context) as Maker;
  const copies = new Map<object, object>();
  const budget = { nodes: NODES, bytes: BYTES };
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return value;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const known = copies.get(value);
    if (known) return known;
    if (budget.nodes-- <= 0) throw new RangeError('The values are too large to copy.');
    const made = toCopy(value, maker, budget);
    copies.set(value, made);
    if (!types.isProxy(value)) fill(value, made, { maker, copy });
    if (!types.isTypedArray(value)) maker.freeze(made);
    return made;
  };
  return copy;
}

function toCopy(value: object, maker: Maker, budget: { bytes: number }): object {
  if (types.isProxy(value)) return maker.object('Proxy');
  if (typeof value === 'function') return maker.method(readText(value, 'name') ?? 'Error');
  if (Array.isArray(value)) return maker.array();
  if (types.isMap(value)) return maker.map();
  if (types.isSet(value)) return maker.set();
  if (types.isDate(value)) return maker.date(textOfDate(value));
  if (types.isRegExp(value)) {
    const text = textOfRegExp(value);
    const end = text.lastIndexOf('/');
    return maker.regexp(text.slice(1, end), text.slice(end + 1));
  }
  if (isError(value))
    return maker.error(readText(value, 'name') ?? 'Error', readText(value, 'message') ?? '', readStack(value) ?? '');
  if (types.isTypedArray(value)) {
    budget.bytes -= value.byteLength;
    if (budget.bytes < 0) throw new RangeError('The values are too large to copy.');
    return maker.typed(tagOfTyped(value), lengthOfTyped(value));
  }
  return maker.object(nameOfClass(value));
}

function fill(value: object, made: object, { maker, copy }: { maker: Maker; copy: (value: unknown) => unknown }): void {
  if (types.isTypedArray(value)) {
    for (let at = 0; at < lengthOfTyped(value); at++) (made as Uint8Array)[at] = (value as Uint8Array)[at]!;
    return;
  }
  if (types.isMap(value))
    for (const [key, one] of takeEntries(value, 'map', NODES)) maker.entry(made, copy(key), copy(one));
  if (types.isSet(value)) for (const [one] of takeEntries(value, 'set', NODES)) maker.element(made, copy(one));
  if (typeof value === 'function') return;
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol' || (key === 'length' && Array.isArray(value))) continue;
    if (isError(value) && ['stack', 'message', 'name'].includes(key)) continue;
    if (types.isRegExp(value) && key === 'lastIndex') continue;
    const found = Reflect.getOwnPropertyDescriptor(value, key);
    if (found && 'value' in found) maker.put(made, key, copy(found.value));
  }
}
