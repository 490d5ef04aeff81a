import { createSchemaPatterns } from '@klaus/core/linear-pattern';
import type { JsonSchemaType, jsonSchemaValidator, JsonSchemaValidator } from '@modelcontextprotocol/client';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** As JSON Schema defines it, unknown keywords and formats are ignored. */
const RULES = { allErrors: true, strict: false, validateFormats: false, validateSchema: false, logger: false } as const;

function toEngine(schema: JsonSchemaType): typeof Ajv | typeof Ajv2019 | typeof Ajv2020 {
  const dialect = JSON.stringify((schema as { $schema?: unknown }).$schema ?? '');
  if (/draft-0[67]/.test(dialect)) return Ajv;
  return dialect.includes('2019-09') ? Ajv2019 : Ajv2020;
}

/** Draft 4 has exclusive limits as marks of `minimum` and `maximum`. */
function toCurrent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCurrent);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, toCurrent(each)]);
  const schema: Record<string, unknown> = Object.fromEntries(entries);
  for (const [limit, mark] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[limit] !== 'number' || typeof schema[mark] !== 'boolean') continue;
    if (schema[mark]) {
      schema[mark] = schema[limit];
      delete schema[limit];
    } else delete schema[mark];
  }
  return schema;
}

/**
 * Compiles a schema of a server. Its patterns are tested in linear time, because a server could name one that never ends;
 * `unchecked` are those that cannot be.
 *
 * @throws Error for an invalid schema.
 */
export function compileSchema<T>(schema: JsonSchemaType): {
  validate: JsonSchemaValidator<T>;
  unchecked: ReadonlySet<string>;
} {
  const patterns = createSchemaPatterns();
  // One for each schema: schemas of different servers may have one `$id`.
  const ajv = new (toEngine(schema))({ ...RULES, code: { regExp: patterns } });
  const check = ajv.compile(toCurrent(schema) as JsonSchemaType);
  const validate: JsonSchemaValidator<T> = (input) =>
    check(input)
      ? { valid: true, data: input as T, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: ajv.errorsText(check.errors) };
  return { validate, unchecked: patterns.unchecked };
}

/** For the client of the protocol, which gets no output schemas: results are checked by their tool. */
export const schemaValidator: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => compileSchema<T>(schema).validate,
};
