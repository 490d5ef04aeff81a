import type { JsonSchema } from '../../core/protocol/json-schema.ts';
import { toTable } from './markdown.ts';

/** The fields of an object as a table. Fields of unnamed objects in it follow with their path. */
export function toFieldTable(schema: JsonSchema, without: ReadonlySet<string> = new Set()): string {
  const rows = toRows(schema, '').filter(([path]) => !without.has(path!));
  return rows.length === 0
    ? 'No further fields.'
    : toTable(
        ['Field', 'Type', 'Meaning'],
        rows.map(([path, type, meaning]) => [`\`${path}\``, type!, meaning!]),
      );
}

/** A named shape: its fields, or one table for each variant. */
export function toShape(schema: JsonSchema): string {
  const variants = toVariants(schema);
  if (variants.length === 0) return toFieldTable(schema);
  const toPart = (variant: JsonSchema) =>
    `\`${toTag(variant)}\`: ${variant.description ?? ''}`.trim() + `\n\n${toFieldTable(variant)}`;
  return variants.map(toPart).join('\n\n');
}

/** A type in one line of Markdown. */
function toType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return [...new Set(members.map((member) => toType(asObject(member))))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return `list of ${toType(asObject(schema.items))}`;
  return schema.type ?? 'any JSON';
}

function toRows(schema: JsonSchema, prefix: string): string[][] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = asObject(property);
    const path = `${prefix}${name}${required.has(name) ? '' : '?'}`;
    const own = [path, toType(field), field.description ?? ''];
    return [own, ...toInner(field, path)];
  });
}

/** Rows of the unnamed objects in a field: of the field itself, of a list, and of each variant. */
function toInner(field: JsonSchema, path: string): string[][] {
  if (field.type === 'array' && !Array.isArray(field.items)) return toInner(asObject(field.items), `${path}[]`);
  const variants = toVariants(field);
  if (variants.length > 0) return variants.flatMap((variant) => toRows(variant, `${path}(${toTag(variant)}).`));
  return field.properties ? toRows(field, `${path}.`) : [];
}

/** The objects of a union of objects; empty for any other schema. */
function toVariants(schema: JsonSchema): JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf ?? []).map(asObject).filter((member) => member.properties);
}

/** The value that identifies a variant: `call` of `{kind: 'call'}`. */
function toTag(variant: JsonSchema): string {
  const tag = Object.values(variant.properties ?? {}).find((property) => asObject(property).const !== undefined);
  return String(asObject(tag).const);
}

function asObject(schema: unknown): JsonSchema {
  return (typeof schema === 'object' && schema !== null ? schema : {}) as JsonSchema;
}
