/* oxlint-disable typescript/unbound-method -- functions of the runtime are kept and called with Reflect.apply. */
/** Objects on which every program depends: evaluated code cannot leave them changed. */
const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } =
  Reflect;
const { is, isExtensible } = Object;

interface Snapshot {
  object: object;
  keys: (string | symbol)[];
  values: PropertyDescriptor[];
  prototype: object | null;
}

let roots: object[] | undefined;

/** The classes and namespaces of the language and of the runtime, with their prototypes. */
function listIntrinsics(): object[] {
  if (roots) return roots;
  const found = new Set<object>();
  const add = (value: unknown): void => {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') found.add(value);
  };
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = getOwnPropertyDescriptor(globalThis, name)?.value as unknown;
    if (typeof value !== 'function' && !['Math', 'JSON', 'Reflect', 'Atomics', 'Intl', 'WebAssembly'].includes(name))
      continue;
    add(value);
    add(typeof value === 'function' ? getOwnPropertyDescriptor(value, 'prototype')?.value : undefined);
  }
  for (const value of [
    [].values(),
    new Map().entries(),
    new Set().values(),
    ''[Symbol.iterator](),
    /a/[Symbol.matchAll](''),
  ])
    add(getPrototypeOf(value));
  add(getPrototypeOf(Uint8Array));
  add(getPrototypeOf(Uint8Array.prototype));
  for (const value of [async () => {}, function* () {}, async function* () {}]) {
    add(getPrototypeOf(value));
    add((getPrototypeOf(value) as { prototype?: unknown }).prototype);
  }
  add(getPrototypeOf(process));
  add(getPrototypeOf(getPrototypeOf(process)!));
  found.delete(Object.prototype);
  // First: each descriptor inherits from it.
  return (roots = [Object.prototype, ...found]);
}

/** Remembers the objects; the result restores them, without a call of a function that may have been replaced. */
export function snapshotIntrinsics(): () => void {
  const snapshots: Snapshot[] = [];
  for (const object of listIntrinsics()) {
    const keys = ownKeys(object);
    const values: PropertyDescriptor[] = [];
    for (let at = 0; at < keys.length; at++) values[at] = toOwn(getOwnPropertyDescriptor(object, keys[at]!)!);
    snapshots.push({ object, keys, values, prototype: getPrototypeOf(object) });
  }
  const globals = toSnapshot(globalThis);
  return () => {
    for (let at = 0; at < snapshots.length; at++) restore(snapshots[at]!);
    // Variables of the program that are new stay: they are an effect of the code, not damage.
    restore(globals, true);
  };
}

function toSnapshot(object: object): Snapshot {
  const keys = ownKeys(object);
  const values = keys.map((key) => toOwn(getOwnPropertyDescriptor(object, key)!));
  return { object, keys, values, prototype: getPrototypeOf(object) };
}

/** A descriptor that properties of `Object.prototype` cannot change. */
function toOwn(descriptor: PropertyDescriptor): PropertyDescriptor {
  setPrototypeOf(descriptor, null);
  return descriptor;
}

function restore({ object, keys, values, prototype }: Snapshot, keepNew = false): void {
  if (getPrototypeOf(object) !== prototype) setPrototypeOf(object, prototype);
  if (!keepNew) removeNew(object, keys);
  for (let at = 0; at < keys.length; at++) {
    const wanted = values[at]!;
    const found = getOwnPropertyDescriptor(object, keys[at]!);
    if (found && is(found.value, wanted.value) && found.get === wanted.get && found.set === wanted.set) continue;
    defineProperty(object, keys[at]!, wanted);
  }
}

function removeNew(object: object, keys: readonly (string | symbol)[]): void {
  const now = ownKeys(object);
  for (let at = 0; at < now.length; at++) {
    if (now[at] === keys[at]) continue;
    let isKnown = false;
    for (let other = 0; other < keys.length; other++) if (keys[other] === now[at]) isKnown = true;
    if (!isKnown) deleteProperty(object, now[at]!);
  }
}

type Method = (...values: unknown[]) => unknown;

/** Refuses what could not be restored: freezing these objects, and properties that cannot be changed again. */
export function refuseFreezing(namespaces: readonly object[]): () => void {
  const guarded = new Set<unknown>([...listIntrinsics(), globalThis, process]);
  const has = Set.prototype.has;
  const undo: (() => void)[] = [];
  for (const namespace of namespaces)
    for (const name of ['freeze', 'seal', 'preventExtensions', 'defineProperty', 'defineProperties']) {
      const found = getOwnPropertyDescriptor(namespace, name);
      if (!found) continue;
      const original = found.value as Method;
      const value: Method = function (this: unknown, ...values) {
        if (apply(has, guarded, [values[0]]) && isExtensible(values[0])) {
          if (name !== 'defineProperty' && name !== 'defineProperties')
            throw new TypeError(`${name} of an object of the runtime is refused.`);
          const given = values.at(-1) as PropertyDescriptor;
          if (name === 'defineProperties' || given.configurable !== true)
            throw new TypeError('A property that cannot be changed again is refused on an object of the runtime.');
        }
        return apply(original, this, values);
      };
      defineProperty(namespace, name, { ...found, value });
      undo.push(() => void defineProperty(namespace, name, found));
    }
  return () => {
    for (let at = 0; at < undo.length; at++) undo[at]!();
  };
}
