import { runInContext, type Context } from 'node:vm';
import type { Key, Slot, Snapshot, SnapshotNode } from './snapshot.ts';

/** Makes objects of a realm out of primitives. No object of this process reaches the realm. */
interface Maker {
  shape(name: string, parent: unknown): object;
  builtin(name: string): object | null;
  refuse(target: object, key: PropertyKey, kind: string): void;
  make(kind: string, text: string, more: string): object;
  proto(target: object, parent: object | null): void;
  put(target: object, key: PropertyKey, value: unknown): void;
  hide(target: object, key: PropertyKey, value: unknown): void;
  entry(target: object, key: unknown, value: unknown): void;
  element(target: object, value: unknown): void;
  byte(target: object, index: number, value: unknown): void;
  symbol(description: string | undefined, known: string | undefined, registered: string | undefined): symbol;
  size(target: object, length: number): void;
  freeze(target: object): void;
}

const MAKER = `(() => {
  const { freeze, defineProperty, create, setPrototypeOf } = Object;
  const refuseChange = (name) => { throw new TypeError('Cannot change a value of the program (' + name + ').'); };
  const refuseRun = (name, kind) => {
    throw new TypeError('The ' + kind + ' ' + name + ' of the program cannot run on a copy of its values.');
  };
  class FrozenMap extends Map {
    add(key, value) { super.set(key, value); }
    set() { refuseChange('Map'); } delete() { refuseChange('Map'); } clear() { refuseChange('Map'); }
  }
  class FrozenSet extends Set {
    put(value) { super.add(value); }
    add() { refuseChange('Set'); } delete() { refuseChange('Set'); } clear() { refuseChange('Set'); }
  }
  const putIn = FrozenMap.prototype.add, putOf = FrozenSet.prototype.put;
  delete FrozenMap.prototype.add; delete FrozenSet.prototype.put;
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const setters = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'));
  class FrozenDate extends Date {}
  for (const name of setters) FrozenDate.prototype[name] = () => refuseChange('Date');
  const frozen = { Map: FrozenMap, Set: FrozenSet, Date: FrozenDate };
  for (const one of [FrozenMap, FrozenSet, FrozenDate]) {
    defineProperty(one, 'name', { value: one.name.slice(6) });
    freeze(one.prototype); freeze(one);
  }
  const classOf = (name) => frozen[name] ?? globalThis[name];
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const encodings = {
    latin1: (bytes) => bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''),
    utf8: (bytes) => decodeURIComponent(escape(encodings.latin1(bytes))),
    hex: (bytes) => bytes.reduce((text, byte) => text + (byte < 16 ? '0' : '') + byte.toString(16), ''),
    base64(bytes) {
      let text = '';
      for (let at = 0; at < bytes.length; at += 3) {
        const group = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
        for (let part = 0; part < 4; part++)
          text += at + part > bytes.length ? '=' : letters[(group >> (18 - 6 * part)) & 63];
      }
      return text;
    },
  };
  encodings['utf-8'] = encodings.utf8; encodings.binary = encodings.latin1;
  return {
    builtin: (name) => classOf(name).prototype,
    shape(name, parent) {
      const made = create(parent);
      const constructor = { [name]() { refuseRun(name, 'class'); } }[name];
      defineProperty(made, 'constructor', { value: constructor, configurable: true, writable: true });
      if (name === 'Buffer')
        defineProperty(made, 'toString', { value(encoding = 'utf8', start = 0, end = this.length) {
          const write = encodings[encoding];
          if (write === undefined) refuseRun('toString', 'function');
          return write([...this].slice(start, end));
        } });
      return made;
    },
    refuse(target, key, kind) {
      if (getOwnPropertyDescriptor(target, key)?.configurable === false) return;
      const name = String(key);
      const run = () => refuseRun(name, kind);
      defineProperty(target, key, kind === 'accessor' ? { get: run, set: run } : { value: { [name]() { run(); } }[name] });
    },
    make(kind, text, more) {
      if (kind === 'array') return [];
      if (kind === 'map') return new FrozenMap();
      if (kind === 'set') return new FrozenSet();
      if (kind === 'date') return new FrozenDate(text);
      if (kind === 'regexp') return new RegExp(text, more);
      if (kind === 'typed') return new globalThis[text](Number(more));
      if (kind === 'error') return new Error(text);
      if (kind === 'proxy') {
        const run = () => refuseRun('(a proxy)', 'trap');
        return new Proxy({}, new Proxy({}, { get: () => run }));
      }
      if (kind !== 'function') return {};
      const made = { [text]() { refuseRun(text || '(anonymous)', 'function'); } }[text];
      defineProperty(made, 'toString', { value: () => more });
      return made;
    },
    proto: (target, parent) => setPrototypeOf(target, parent),
    put(target, key, value) { defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true }); },
    hide(target, key, value) { defineProperty(target, key, { value, configurable: true, writable: true }); },
    entry: (target, key, value) => apply(putIn, target, [key, value]),
    element: (target, value) => apply(putOf, target, [value]),
    byte(target, index, value) { target[index] = value; },
    symbol: (description, known, registered) =>
      known !== undefined ? Symbol[known] : registered !== undefined ? Symbol.for(registered) : Symbol(description),
    size(target, length) { target.length = length; },
    freeze,
  };
})()`;

/** Builds the values of a snapshot in a realm, frozen. What a copy does not have throws, with its name. */
export function buildCopy(context: Context, { names, nodes, shapes, symbols }: Snapshot): Record<string, unknown> {
  const maker = runInContext(MAKER, context) as Maker;
  const keys = symbols.map(({ description, known, registered }) => maker.symbol(description, known, registered));
  const toKey = (key: Key): PropertyKey => (typeof key === 'number' ? keys[key]! : key);
  const prototypes: object[] = [];
  const toPrototype = (parent: number | string | null): object | null => {
    if (parent === null) return null;
    if (typeof parent === 'string') return maker.builtin(parent);
    return (prototypes[parent] ??= maker.shape(shapes[parent]!.name, toPrototype(shapes[parent]!.parent)));
  };
  const made = nodes.map((node) => {
    const one = makeNode(maker, node);
    if (node.kind !== 'proxy' && (typeof node.parent !== 'string' || node.kind === 'error'))
      maker.proto(one, toPrototype(node.parent));
    return one;
  });
  const read = (slot: Slot): unknown => {
    if (typeof slot !== 'object' || slot === null) return slot;
    return 'symbol' in slot ? keys[slot.symbol] : made[slot[0]];
  };
  for (const [index, { missing, values }] of shapes.entries()) {
    const prototype = toPrototype(index)!;
    for (const [key, slot] of values) maker.hide(prototype, toKey(key), read(slot));
    for (const [key, kind] of missing) maker.refuse(prototype, toKey(key), kind);
  }
  for (const [index, node] of nodes.entries()) fillNode(maker, { node, target: made[index]!, read, toKey });
  // After all are filled: they refer to each other.
  for (const [index, { kind }] of nodes.entries()) if (kind !== 'typed' && kind !== 'proxy') maker.freeze(made[index]!);
  for (const prototype of prototypes) if (prototype) maker.freeze(prototype);
  return Object.fromEntries(Object.entries(names).map(([name, slot]) => [name, read(slot)]));
}

function makeNode(maker: Maker, { kind, text = '', name = '', message = '', length = 0 }: SnapshotNode): object {
  if (kind === 'regexp') {
    const end = text.lastIndexOf('/');
    return maker.make(kind, text.slice(1, end), text.slice(end + 1));
  }
  if (kind === 'error') return maker.make(kind, message, '');
  if (kind === 'function') return maker.make(kind, name, text);
  return maker.make(kind, text, String(length));
}

interface Filling {
  node: SnapshotNode;
  target: object;
  read: (slot: Slot) => unknown;
  toKey: (key: Key) => PropertyKey;
}

function fillNode(maker: Maker, { node, target, read, toKey }: Filling): void {
  const { kind, entries = [], values, accessors, bytes, text, name } = node;
  if (bytes && bytes.length > 0) {
    const View = (globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => ArrayLike<unknown>>)[text!]!;
    const elements = new View(bytes.slice().buffer);
    for (let index = 0; index < elements.length; index++) maker.byte(target, index, elements[index]);
  }
  if (kind === 'map')
    for (let at = 0; at < entries.length; at += 2) maker.entry(target, read(entries[at]), read(entries[at + 1]));
  if (kind === 'set') for (const slot of entries) maker.element(target, read(slot));
  if (kind === 'error') {
    maker.hide(target, 'name', name);
    maker.hide(target, 'stack', text);
  }
  for (const [key, slot] of values) maker.put(target, toKey(key), read(slot));
  for (const key of accessors) maker.refuse(target, toKey(key), 'accessor');
  // Elements that are empty at the end.
  if (kind === 'array' && (node.length ?? 0) > (target as unknown[]).length) maker.size(target, node.length!);
}
