/** The part of Standard Schema that is used here: https://standardschema.dev */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** https://standardschema.dev/json-schema */
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The part of a schema of zod 3 that is used here. */
export interface Zod3Schema<Output = unknown> {
  readonly _output: Output;
  readonly _def: object;
  safeParseAsync(
    value: unknown,
  ): Promise<{ success: true; data: Output } | { success: false; error: { issues: readonly StandardIssue[] } }>;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

type ZodLike = StandardSchema | Zod3Schema;

/** An object of zod schemas, as `z.object` takes it. */
export type RawShape = Readonly<Record<string, ZodLike>>;

/** zod 3 or 4, another Standard Schema, a raw shape of zod, or a JSON Schema. */
export type SchemaInput = ZodLike | RawShape | JsonSchema;

/** The type of a value that matches a schema: `unknown` for a JSON Schema. */
export type SchemaOutput<S> =
  S extends StandardSchema<infer Output>
    ? Output
    : S extends Zod3Schema<infer Output>
      ? Output
      : S extends RawShape
        ? { [K in keyof S]: SchemaOutput<S[K]> }
        : unknown;

export function isStandard(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}

export function isZod3(schema: object): schema is Zod3Schema {
  return '_def' in schema && !('_zod' in schema) && 'safeParseAsync' in schema;
}

/** True for an object that has a schema of zod in each property, and at least one. */
export function isRawShape(schema: object): schema is RawShape {
  const items: unknown[] = Object.values(schema);
  return (
    items.length > 0 && items.every((it) => typeof it === 'object' && it !== null && (isStandard(it) || isZod3(it)))
  );
}
