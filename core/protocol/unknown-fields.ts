import { isRecord } from './is-record.ts';
import { toNearest } from './nearest.ts';
import { headOf } from './text/cut-text.ts';

export interface UnknownField {
  /** Where it is: `folder`, `edits.0.pth`. */
  path: string;
  /** The declared field that is spelled most like it, and that the input lacks. */
  nearest?: string;
  /** The declared fields of the same object. */
  known: readonly string[];
}

export interface UnknownFieldOptions {
  /**
   * Fields that an object accepts although its schema declares others and has no `additionalProperties`. `unlike`: those
   * that are not spelled like a declared one, for schemas of others: by JSON Schema they accept every field. Default
   * `none`.
   */
  accepts?: 'none' | 'unlike';
}

/** One reading of the schema of an object: its declarations, and one branch of each alternative. */
interface Shape {
  /** The schemas of each declared field. */
  fields: ReadonlyMap<string, readonly unknown[]>;
  /** False if it has no list of fields, so that it accepts every field. */
  declares: boolean;
  /** True: `additionalProperties` is false. */
  isClosed: boolean;
  /** The schemas of all other fields; undefined if it has none. */
  others: readonly unknown[] | undefined;
}

interface Reading {
  root: unknown;
  accepts: 'none' | 'unlike';
  /** Parts of the schema that are still read for the present object. */
  left: number;
}

const NO_SHAPE: Shape = { fields: new Map(), declares: false, isClosed: false, others: undefined };
const OPEN: Shape = { ...NO_SHAPE, others: [] };
/** Readings of one object, and parts of the schema that they come from. A schema with more accepts every field. */
const MAX_SHAPES = 64;
const MAX_PARTS = 500;
/** Characters of a name that is compared with others, and of a path in a message. */
const MAX_NAME = 100;
const MAX_PATH = 200;
/** Fields in a message. */
const MAX_SHOWN = 30;
/** Keywords whose fields depend on the value. */
const CONDITIONAL = ['if', 'dependentSchemas', 'unevaluatedProperties', '$dynamicRef', 'patternProperties'];

/** The fields of a value, at any depth, that its JSON Schema does not declare. Most validators drop them silently. */
export function findUnknownFields(
  schema: unknown,
  value: unknown,
  { accepts = 'none' }: UnknownFieldOptions = {},
): UnknownField[] {
  return find({ root: schema, accepts, left: 0 }, [schema], { value, path: [] });
}

/** `variables: there is no such field. Did you mean vars?` */
export function describeUnknownField({ path, nearest, known }: UnknownField): string {
  const shown = known.length > MAX_SHOWN ? [...known.slice(0, MAX_SHOWN), '…'] : known;
  const fields = known.length === 0 ? 'There are none here' : `The fields are ${shown.join(', ')}`;
  const advice = nearest === undefined ? `${fields}.` : `Did you mean ${nearest}?`;
  return `${headOf(path, MAX_PATH)}: there is no such field. ${advice}`;
}

interface At {
  value: unknown;
  path: readonly string[];
}

function find(reading: Reading, schemas: readonly unknown[], { value, path }: At): UnknownField[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      reading.left = MAX_PARTS;
      const inner = schemas.flatMap((schema) => toItems(reading, schema, index));
      return find(reading, inner, { value: item, path: [...path, String(index)] });
    });
  if (!isRecord(value)) return [];
  reading.left = MAX_PARTS;
  const shapes = schemas.reduce<Shape[]>((known, schema) => merge(known, toShapes(reading, schema)), [NO_SHAPE]);
  const fitting = shapes.filter((shape) => fits(shape, value));
  let least: UnknownField[] | undefined;
  // An object that one alternative declares completely has no unknown field.
  for (const shape of fitting.length > 0 ? fitting : shapes) {
    const found = findIn(reading, shape, { value, path });
    if (least === undefined || found.length < least.length) least = found;
  }
  return least ?? [];
}

function findIn(
  reading: Reading,
  { fields, declares, isClosed, others }: Shape,
  { value, path }: { value: Readonly<Record<string, unknown>>; path: readonly string[] },
): UnknownField[] {
  const known = [...fields.keys()];
  const missing = known.filter((name) => !Object.hasOwn(value, name));
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = { value: inner, path: [...path, name] };
    const declared = fields.get(name);
    if (declared) return find(reading, declared, at);
    if (others) return find(reading, others, at);
    if (!declares && !isClosed) return [];
    const nearest = name.length > MAX_NAME ? undefined : toNearest(name, missing);
    if (nearest === undefined && !isClosed && reading.accepts === 'unlike') return [];
    return [{ path: at.path.join('.'), known, ...(nearest === undefined ? {} : { nearest }) }];
  });
}

/** Readings of a schema for an object. None: the schema is for another type. */
function toShapes(reading: Reading, schema: unknown): Shape[] {
  if (!isRecord(schema)) return [NO_SHAPE];
  if (reading.left-- <= 0 || CONDITIONAL.some((keyword) => keyword in schema)) return [OPEN];
  if (schema['type'] !== undefined && ![schema['type']].flat().includes('object')) return [];
  let shapes = [toShape(schema)];
  const add = (parts: unknown[]): void => {
    shapes = merge(
      shapes,
      parts.flatMap((part) => toShapes(reading, part)),
    );
  };
  if (typeof schema['$ref'] === 'string') add([resolve(reading.root, schema['$ref'])]);
  for (const part of toList(schema['allOf'])) add([part]);
  for (const keyword of ['anyOf', 'oneOf']) if (Array.isArray(schema[keyword])) add(schema[keyword]);
  return shapes;
}

function toShape({ properties, additionalProperties: others }: Readonly<Record<string, unknown>>): Shape {
  const fields = isRecord(properties)
    ? Object.entries(properties).map(([name, field]) => [name, [field]] as const)
    : [];
  return {
    fields: new Map(fields),
    declares: isRecord(properties),
    isClosed: others === false,
    others: others === undefined || others === false ? undefined : [others],
  };
}

/** Each reading of one schema with each of the other. */
function merge(some: readonly Shape[], others: readonly Shape[]): Shape[] {
  if (some.length * others.length > MAX_SHAPES) return [OPEN];
  return some.flatMap((a) => others.map((b) => join(a, b)));
}

function join(a: Shape, b: Shape): Shape {
  const fields = new Map(a.fields);
  for (const [name, schemas] of b.fields) fields.set(name, [...new Set([...(fields.get(name) ?? []), ...schemas])]);
  return {
    fields,
    declares: a.declares || b.declares,
    isClosed: a.isClosed || b.isClosed,
    others: a.others || b.others ? [...(a.others ?? []), ...(b.others ?? [])] : undefined,
  };
}

/** False for a variant of a union whose `const` the value does not have. */
function fits({ fields }: Shape, value: Readonly<Record<string, unknown>>): boolean {
  return [...fields].every(
    ([name, schemas]) =>
      !Object.hasOwn(value, name) ||
      schemas.every((schema) => !isRecord(schema) || !('const' in schema) || schema['const'] === value[name]),
  );
}

function toItems(reading: Reading, schema: unknown, index: number): unknown[] {
  if (!isRecord(schema) || reading.left-- <= 0) return [];
  const { $ref, items, prefixItems } = schema;
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => toList(schema[keyword]));
  const parts = [...variants, ...(typeof $ref === 'string' ? [resolve(reading.root, $ref)] : [])];
  const inner = parts.flatMap((part) => toItems(reading, part, index));
  const own = toList(prefixItems)[index] ?? items;
  return own === undefined ? inner : [own, ...inner];
}

/** The part of the schema at `#/$defs/name`; undefined, which accepts everything, if there is none. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.split('/').slice(1);
  const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), root);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
