import { isRecord } from '@klaus/core/protocol';

/** One change of the requests to a server that has refused a parameter of them. */
export interface Adaptation {
  /** Path of a field in the body, with `*` for the places of a list; or `role`, that of the instructions. */
  field: string;
  /** The name that is sent instead. Absent: the field is left out. */
  instead?: string;
}

/** The fields of a body without those that were refused. */
export function adaptFields(fields: object, adaptations: readonly Adaptation[]): object {
  return adaptations.reduce<object>(
    (changed, { field, instead }) => (field === 'role' ? changed : change(changed, field.split('.'), instead)),
    fields,
  );
}

/** The instructions with the role that the server accepts. */
export function adaptRole(item: object, adaptations: readonly Adaptation[]): object {
  const role = adaptations.findLast(({ field }) => field === 'role')?.instead;
  return role === undefined || !('role' in item) ? item : { ...item, role };
}

/** An object that is empty without the field is left out too. */
function change(value: object, [first = '', ...rest]: readonly string[], instead: string | undefined): object {
  if (first === '*') {
    return Array.isArray(value) ? value.map((each) => (isObject(each) ? change(each, rest, instead) : each)) : value;
  }
  if (!isRecord(value) || !(first in value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (name !== first) return [[name, inner]];
      if (rest.length === 0) return instead === undefined ? [] : [[instead, inner]];
      const changed = isObject(inner) ? change(inner, rest, instead) : inner;
      return isObject(changed) && Object.keys(changed).length === 0 ? [] : [[name, changed]];
    }),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
