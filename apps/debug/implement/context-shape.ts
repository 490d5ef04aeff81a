import { types } from 'node:util';
import { isError } from '../stack/read-stack.ts';

const MAX_DEPTH = 3;
const MAX_KEYS = 100;

/**
 * Names and types of the items, without their values: `{ users: [{ id: 'number' }] }`. Runs no code of the program:
 * accessors and proxies are not read.
 */
export function toShape(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (types.isProxy(value)) return 'proxy';
  if (depth === MAX_DEPTH) return 'object';
  if (Array.isArray(value)) return value.length === 0 ? [] : [toShape(value[0], depth + 1)];
  if (types.isMap(value)) return 'Map';
  if (types.isSet(value)) return 'Set';
  if (types.isDate(value)) return 'Date';
  if (isError(value)) return 'Error';
  if (ArrayBuffer.isView(value)) return 'binary';
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value)).slice(0, MAX_KEYS);
  return Object.fromEntries(
    properties
      .map(([name, property]) => [name, 'value' in property ? toShape(property.value, depth + 1) : 'accessor'] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
