import { specTypeSchemas, type SpecTypes } from '@modelcontextprotocol/client';
import type { JsonObject } from './json-object.ts';

/** A value of the protocol, and what was removed from the given one. */
export interface KeptValue {
  value: JsonObject;
  /** Fields as paths, such as `inputSchema.required`. */
  removed: string[];
}

/**
 * A value without the fields that do not have the shape of the protocol.
 *
 * @param options.inside A field whose fields are removed one by one. Default: none.
 * @returns Undefined if a field that it needs is missing or has another shape.
 */
export function keepValid(
  type: keyof SpecTypes,
  given: JsonObject,
  { inside }: { inside?: string } = {},
): KeptValue | undefined {
  let value = given;
  const removed: string[] = [];
  for (;;) {
    const { issues } = specTypeSchemas[type]['~standard'].validate(value);
    if (!issues) return { value, removed };
    const paths = issues.map(({ path = [] }) => path.map((part) => String(typeof part === 'object' ? part.key : part)));
    const next = paths.reduce((from, path) => remove(from, path.slice(0, path[0] === inside ? 2 : 1)), value);
    const gone = new Set(paths.map((path) => path.slice(0, path[0] === inside ? 2 : 1).join('.')));
    // A field that is missing cannot be removed.
    if (JSON.stringify(next) === JSON.stringify(value)) return undefined;
    value = next;
    removed.push(...gone);
  }
}

function remove(from: JsonObject, [field, ...rest]: readonly string[]): JsonObject {
  if (field === undefined || !Object.hasOwn(from, field)) return from;
  const { [field]: inner, ...others } = from;
  return rest.length === 0 ? others : { ...others, [field]: remove(inner as JsonObject, rest) };
}
