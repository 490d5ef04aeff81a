import { isMap, isSet } from 'node:util/types';
import { sizeOfMap, sizeOfSet, visitEntries } from '../../render/intrinsics.ts';
import { readField } from '../read-field.ts';

const KINDS = ['keys', 'values', 'entries'] as const;
type Kind = (typeof KINDS)[number];

/** What Maps and Sets hold, as lists. False: there is none. */
export type Lists = Map<unknown, Partial<Record<Kind, readonly unknown[] | false>>>;

const map = { ...pick(Map.prototype), forEach: Reflect.get(Map.prototype, 'forEach') as unknown };
const set = { ...pick(Set.prototype), forEach: Reflect.get(Set.prototype, 'forEach') as unknown };
const views = pick(Array.prototype);
const typed = Reflect.getPrototypeOf(Uint8Array.prototype)!;

function pick(prototype: object): Record<Kind, unknown> {
  return Object.fromEntries(KINDS.map((kind) => [kind, Reflect.get(prototype, kind)])) as Record<Kind, unknown>;
}

/** Functions and prototypes of the program, by which metered code knows its values. */
export function toHosts(): object {
  return { array: Array.prototype, arrayViews: views, typed, map, set };
}

/**
 * Adds the list that metered code asks for by an exception.
 *
 * @returns False if it did not ask for one, or has it already.
 */
export function addList(lists: Lists, thrown: unknown, most: number): boolean {
  const [value, kind] = [readField(thrown, 'need'), readField(thrown, 'kind') as Kind];
  if (!KINDS.includes(kind) || !(isMap(value) || isSet(value))) return false;
  const known = lists.get(value) ?? {};
  if (known[kind] !== undefined) return false;
  lists.set(value, { ...known, [kind]: toList(value, kind, most) });
  return true;
}

/** Without running code of the program. */
function toList(value: object, kind: Kind, most: number): readonly unknown[] | false {
  const type = isMap(value) ? 'map' : 'set';
  if ((type === 'map' ? sizeOfMap(value) : sizeOfSet(value)) > most) return false;
  const list: unknown[] = [];
  visitEntries(value, type, (one, key) => list.push(kind === 'entries' ? [key, one] : kind === 'keys' ? key : one));
  return list;
}
