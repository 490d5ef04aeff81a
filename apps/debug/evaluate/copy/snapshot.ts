import * as types from 'node:util/types';
import { headOf } from '../../render/cut-text.ts';
import {
  bytesOfTyped,
  lengthOfTyped,
  sizeOfMap,
  sizeOfSet,
  tagOfTyped,
  takeEntries,
  textOfDate,
  textOfFunction,
  textOfRegExp,
} from '../../render/intrinsics.ts';
import { isError, readStack, readText } from '../../stack/read-stack.ts';

/** A primitive, the index of a node in a list of one element, or the index of a symbol. */
export type Slot =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly [node: number]
  | { readonly symbol: number };
/** The name of a property, or the index of a symbol. */
export type Key = string | number;
/** What of the program a copy does not have: it is refused by its name. */
export type Missing = 'accessor' | 'function';

/** A prototype that the runtime does not define. */
export interface Shape {
  name: string;
  /** The index of a shape, or the name of a class of the language; null for none. */
  parent: number | string | null;
  missing: readonly (readonly [Key, Missing])[];
  values: readonly (readonly [Key, Slot])[];
}

export interface SnapshotNode {
  kind: 'object' | 'array' | 'map' | 'set' | 'date' | 'regexp' | 'error' | 'typed' | 'function' | 'proxy';
  /** As {@link Shape.parent}. */
  parent: number | string | null;
  /** Of a date, an expression, a function: its text. Of a typed array: its class. */
  text?: string;
  name?: string;
  message?: string;
  length?: number;
  bytes?: Uint8Array;
  /** Of a Map: keys and values in turn. */
  entries?: Slot[];
  values: (readonly [Key, Slot])[];
  accessors: Key[];
}

export interface SnapshotSymbol {
  description: string | undefined;
  /** `iterator` for `Symbol.iterator`. */
  known?: string | undefined;
  registered?: string | undefined;
}

/** Values as data. It can be sent to another process, and reading it runs no code. */
export interface Snapshot {
  names: Record<string, Slot>;
  nodes: SnapshotNode[];
  shapes: Shape[];
  symbols: SnapshotSymbol[];
}

/** The classes of the language that the realm of the copy has, too. */
const CLASSES = new Set(
  'Object Array Function Map Set Date RegExp Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Float16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array'.split(
    ' ',
  ),
);
const KNOWN = new Map(
  Object.getOwnPropertyNames(Symbol).flatMap((name) => {
    const value = (Symbol as unknown as Record<string, unknown>)[name];
    return typeof value === 'symbol' ? [[value, name] as const] : [];
  }),
);
const NODES = 200_000;
const SLOTS = 1_000_000;
/** Of texts and buffers. */
const BYTES = 50_000_000;
const SOURCE = 10_000;

/** The values have more parts than a copy holds. */
export class TooLargeError extends RangeError {
  override name = 'TooLargeError';
}

/**
 * Reads values without running code of the program: no getter, no trap of a proxy. What cannot be data (functions,
 * accessors, proxies) is marked.
 *
 * @throws {TooLargeError} With the name of the value that has too many parts.
 */
export function takeSnapshot(values: Readonly<Record<string, unknown>>): Snapshot {
  const reader = new Reader();
  const names = Object.create(null) as Record<string, Slot>;
  for (const [name, value] of Object.entries(values)) {
    try {
      names[name] = reader.read(value);
    } catch (error) {
      if (error instanceof TooLargeError) throw new TooLargeError(`\`${name}\` is too large to copy.`);
      throw error;
    }
  }
  return { names, nodes: reader.nodes, shapes: reader.shapes, symbols: reader.symbols };
}

/** Reads graphs of values into one list of this.nodes. */
class Reader {
  readonly nodes: SnapshotNode[] = [];
  readonly shapes: Shape[] = [];
  readonly symbols: SnapshotSymbol[] = [];
  readonly #known = new Map<object, number>();
  readonly #knownShapes = new Map<object, number>();
  readonly #knownSymbols = new Map<symbol, number>();
  readonly #queue: object[] = [];
  readonly #left = { nodes: NODES, slots: SLOTS, bytes: BYTES };

  read(value: unknown): Slot {
    const slot = this.#toSlot(value);
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) this.#fill(next);
    return slot;
  }

  #spend(kind: 'nodes' | 'slots' | 'bytes', count: number): void {
    this.#left[kind] -= count;
    if (this.#left[kind] < 0) throw new TooLargeError();
  }

  #toSymbol(value: symbol): number {
    const found = this.#knownSymbols.get(value);
    if (found !== undefined) return found;
    const { description } = value;
    const index = this.symbols.push({ description, known: KNOWN.get(value), registered: Symbol.keyFor(value) }) - 1;
    this.#knownSymbols.set(value, index);
    return index;
  }

  #toKey(key: string | symbol): Key {
    return typeof key === 'symbol' ? this.#toSymbol(key) : key;
  }

  /** The node of a value, whose parts are read later. */
  #toSlot(value: unknown): Slot {
    this.#spend('slots', 1);
    if (typeof value === 'string') this.#spend('bytes', value.length);
    if (typeof value === 'symbol') return { symbol: this.#toSymbol(value) };
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value as Slot;
    let index = this.#known.get(value);
    if (index === undefined) {
      this.#spend('nodes', 1);
      index = this.nodes.push(this.#toNode(value)) - 1;
      this.#known.set(value, index);
      this.#queue.push(value);
    }
    return [index];
  }

  #toNode(value: object): SnapshotNode {
    if (types.isProxy(value)) return { kind: 'proxy', parent: null, values: [], accessors: [] };
    const base = { parent: this.#toParent(Reflect.getPrototypeOf(value)), values: [], accessors: [] };
    if (typeof value === 'function')
      return {
        ...base,
        kind: 'function',
        name: readText(value, 'name') ?? '',
        text: headOf(textOfFunction(value), SOURCE),
      };
    if (Array.isArray(value)) return { ...base, kind: 'array', length: value.length };
    if (types.isMap(value)) return { ...base, kind: 'map', entries: [] };
    if (types.isSet(value)) return { ...base, kind: 'set', entries: [] };
    if (types.isDate(value)) return { ...base, kind: 'date', text: textOfDate(value) };
    if (types.isRegExp(value)) return { ...base, kind: 'regexp', text: textOfRegExp(value) };
    if (isError(value))
      return {
        ...base,
        kind: 'error',
        name: readText(value, 'name') ?? 'Error',
        message: readText(value, 'message') ?? '',
        text: readStack(value) ?? '',
      };
    if (types.isTypedArray(value)) {
      this.#spend('bytes', lengthOfTyped(value) * 8);
      const bytes = bytesOfTyped(value);
      return { ...base, kind: 'typed', text: tagOfTyped(value), length: lengthOfTyped(value), bytes };
    }
    return { ...base, kind: 'object' };
  }

  #toParent(prototype: object | null): number | string | null {
    if (prototype === null) return null;
    if (types.isProxy(prototype)) return this.#toShape(prototype, 'Proxy');
    const name = nameOfBuiltin(prototype);
    if (name !== undefined && CLASSES.has(name)) return name;
    return this.#toShape(prototype, name ?? nameOfOwn(prototype));
  }

  #toShape(prototype: object, name: string): number {
    const found = this.#knownShapes.get(prototype);
    if (found !== undefined) return found;
    const missing: [Key, Missing][] = [];
    const values: [Key, Slot][] = [];
    const index = this.shapes.push({ name, parent: null, missing, values }) - 1;
    this.#knownShapes.set(prototype, index);
    if (types.isProxy(prototype)) return index;
    for (const key of Reflect.ownKeys(prototype)) {
      if (key === 'constructor') continue;
      const own = Reflect.getOwnPropertyDescriptor(prototype, key)!;
      if (!('value' in own)) missing.push([this.#toKey(key), 'accessor']);
      else if (typeof own.value === 'function') missing.push([this.#toKey(key), 'function']);
      else values.push([this.#toKey(key), this.#toSlot(own.value)]);
    }
    this.shapes[index]!.parent = this.#toParent(Reflect.getPrototypeOf(prototype));
    return index;
  }

  #fill(value: object): void {
    const node = this.nodes[this.#known.get(value)!]!;
    if (types.isProxy(value) || types.isTypedArray(value)) return;
    if (types.isMap(value)) {
      this.#spend('slots', sizeOfMap(value));
      for (const entry of takeEntries(value, 'map', Infinity))
        node.entries!.push(this.#toSlot(entry[0]), this.#toSlot(entry[1]));
    }
    if (types.isSet(value)) {
      this.#spend('slots', sizeOfSet(value));
      for (const [one] of takeEntries(value, 'set', Infinity)) node.entries!.push(this.#toSlot(one));
    }
    if (Array.isArray(value) && value.length > this.#left.slots && Object.keys(value).length > this.#left.slots)
      throw new TooLargeError();
    for (const key of Reflect.ownKeys(value)) {
      if (isShown(node, key)) continue;
      let own: PropertyDescriptor | undefined;
      try {
        own = Reflect.getOwnPropertyDescriptor(value, key);
      } catch {
        // An export of a module that is not initialized.
      }
      if (own && 'value' in own) node.values.push([this.#toKey(key), this.#toSlot(own.value)]);
      else node.accessors.push(this.#toKey(key));
    }
  }
}

/** What the node itself says already. */
function isShown({ kind }: SnapshotNode, key: string | symbol): boolean {
  if (typeof key === 'symbol') return false;
  if (kind === 'array') return key === 'length';
  if (kind === 'error') return key === 'stack' || key === 'message' || key === 'name';
  if (kind === 'regexp') return key === 'lastIndex';
  return kind === 'function' && ['length', 'name', 'prototype', 'arguments', 'caller'].includes(key);
}

/** `Map` for `Map.prototype` of any realm. */
function nameOfBuiltin(prototype: object): string | undefined {
  const made: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof made !== 'function' || types.isProxy(made) || !textOfFunction(made).endsWith('{ [native code] }'))
    return undefined;
  return Reflect.getOwnPropertyDescriptor(made, 'prototype')?.value === prototype ? readText(made, 'name') : undefined;
}

function nameOfOwn(prototype: object): string {
  const made: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = typeof made === 'function' && !types.isProxy(made) ? readText(made, 'name') : undefined;
  return name === undefined || name === '' ? 'Object' : headOf(name, 100);
}
