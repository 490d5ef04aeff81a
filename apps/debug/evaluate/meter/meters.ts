/** Bound in a realm under this name: the functions of {@link METERS}. */
export const METER = '__klendathu';
/** A variable of each loop of metered code: the last sum. */
export const SUM = '__sum';
/** The same of callbacks that are called: a variable of a closure is slow. */
export const OUTER_SUM = '__outerSum';

/** Maps and Sets with fewer entries are iterated as they are. */
const FEW = 200;

/**
 * The functions that metered code calls. Gets the limit, functions and prototypes of the program, and the lists of what
 * its Maps and Sets hold. A list that is not there is asked for by an exception: a Map gives its entries only in a call
 * for each, which V8's check makes slow.
 */
export const METERS = `((most, hosts, lists) => {
  const { isArray } = Array, { isView } = ArrayBuffer, { getPrototypeOf, hasOwn } = Object, { from } = Array;
  const iterator = Symbol.iterator, { apply } = Reflect, { get } = Map.prototype;
  const ownArray = Array.prototype, ownTyped = getPrototypeOf(Uint8Array.prototype);
  const ownValues = ownArray[iterator], hostValues = hosts.array[iterator];
  const tag = Object.getOwnPropertyDescriptor(ownTyped, Symbol.toStringTag).get;
  const check = (value) => {
    if (typeof value === 'string' && value.length > most) throw new RangeError('Evaluated code cannot make a text of ' + value.length + ' characters.');
    return value;
  };
  const bits = (value) => {
    if (typeof value === 'bigint' && (value > 1000000n || value < -1000000n)) throw new RangeError('Evaluated code cannot make a BigInt of this size.');
    return value;
  };
  const list = (value) => {
    const size = typeof value === 'string' || isArray(value) || isView(value) ? value.length : 0;
    if (size > most) throw new RangeError('Evaluated code cannot make a list of ' + size + ' elements.');
    return value;
  };
  /** The kind of a value whose method does what the language says. */
  const kindOf = (value, method) => {
    if (typeof value !== 'object' || value === null || hasOwn(value, method)) return undefined;
    if (isArray(value)) {
      const prototype = getPrototypeOf(value);
      return value.length <= most && (prototype === hosts.array || prototype === ownArray) ? 'array' : undefined;
    }
    if (isView(value)) {
      const parent = getPrototypeOf(getPrototypeOf(value));
      return value.length <= most && (parent === hosts.typed || parent === ownTyped) ? 'typed' : undefined;
    }
    if (method !== 'forEach') return undefined;
    if (value.forEach === hosts.map.forEach) return find(value, 'entries') && 'map';
    if (value.forEach === hosts.set.forEach) return find(value, 'values') && 'set';
    return undefined;
  };
  const find = (value, kind) => {
    const known = apply(get, lists, [value]);
    const found = known && known[kind];
    if (found === undefined && value.size > ${FEW}) throw { need: value, kind };
    return found || undefined;
  };
  const listOfMethod = (value, kind) => {
    const method = value[kind];
    if (method === hosts.map[kind] || method === hosts.set[kind]) return find(value, kind);
    if (!isArray(value) || value.length > most || (method !== hosts.arrayViews[kind] && method !== ownArray[kind])) return undefined;
    if (kind === 'values') return value;
    const made = [];
    for (let at = 0, size = value.length; at < size; at++) made[at] = kind === 'keys' ? at : [at, value[at]];
    return made;
  };
  /** What a value gives when it is iterated, by index. Undefined: only by its iterator. */
  const listOf = (value, kind) => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (kind !== undefined) return listOfMethod(value, kind);
    const method = value[iterator];
    if (method === hostValues || method === ownValues) return isArray(value) && value.length <= most ? value : undefined;
    if (method === hosts.typed[iterator] || method === ownTyped[iterator]) return isView(value) && value.length <= most ? copy(value) : undefined;
    if (method === hosts.map.entries) return find(value, 'entries');
    return method === hosts.set.values ? find(value, 'values') : undefined;
  };
  /** The length of a typed array is a call. */
  const copy = (value) => {
    const made = [];
    for (let at = 0, size = value.length; at < size; at++) made[at] = value[at];
    return made;
  };
  const fresh = (value, kind) => {
    const found = listOf(value, kind);
    if (found === undefined) return kind === undefined ? value : value[kind]();
    return found !== value && isView(value) ? found : copy(found);
  };
  /** The entries of a Map, or the elements of anything else. */
  const source = (value, kind) => (kind === 'map' ? find(value, 'entries') : kind === 'set' ? find(value, 'values') : kind === 'typed' ? copy(value) : value);
  /** A typed array of the class of another one. */
  const toTyped = (values, like) => new globalThis[apply(tag, like, [])](values);
  return {
    check, bits, list, kindOf, listOf, source, toTyped, iterator, hostValues, ownValues,
    fresh: (value, kind) => list(fresh(value, kind)),
    from: (value, kind) => {
      const made = fresh(value, kind);
      return isArray(made) && made !== value ? made : from(made);
    },
  };
})`;
