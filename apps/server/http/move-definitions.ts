type Json = Record<string, unknown>;

const LOCAL = '#/$defs/';

/**
 * Moves the `$defs` of schemas, which zod writes for recursive types, to the components of the document: a reference of an
 * OpenAPI document starts at the root of the document. Equal definitions get one name.
 *
 * @returns The components, by name.
 */
export function moveDefinitions<T>(document: T): { moved: T; schemas: Json } {
  const schemas: Json = {};
  const known = new Map<string, string>();
  const move = (value: unknown, names: Readonly<Record<string, string>>): unknown => {
    if (Array.isArray(value)) return value.map((part) => move(part, names));
    if (typeof value !== 'object' || value === null) return value;
    const { $defs = {}, ...rest } = value as Json;
    const inner = { ...names };
    const added: [string, unknown][] = [];
    for (const [local, definition] of Object.entries($defs as Json)) {
      const text = JSON.stringify(definition);
      const name = known.get(text) ?? `Part${known.size}`;
      if (!known.has(text)) added.push([name, definition]);
      known.set(text, name);
      inner[local] = name;
    }
    for (const [name, definition] of added) schemas[name] = move(definition, inner);
    const parts = Object.entries(rest).map(([key, part]) => {
      const isLocal = key === '$ref' && typeof part === 'string' && part.startsWith(LOCAL);
      return [key, isLocal ? `#/components/schemas/${inner[part.slice(LOCAL.length)]}` : move(part, inner)];
    });
    return Object.fromEntries(parts);
  };
  return { moved: move(document, {}) as T, schemas };
}
