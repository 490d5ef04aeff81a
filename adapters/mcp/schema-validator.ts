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

/**
 * Compiles a schema of a server. Its patterns are tested in linear time, because a server could name one that never ends;
 * `unchecked` are those that cannot be.
 */
export function compileSchema<T>(schema: JsonSchemaType): {
  validate: JsonSchemaValidator<T>;
  unchecked: ReadonlySet<string>;
} {
  const patterns = createSchemaPatterns();
  // One for each schema: schemas of different servers may have one `$id`.
  const ajv = new (toEngine(schema))({ ...RULES, code: { regExp: patterns } });
  const check = ajv.compile(schema);
  const validate: JsonSchemaValidator<T> = (input) =>
    check(input)
      ? { valid: true, data: input as T, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: ajv.errorsText(check.errors) };
  return { validate, unchecked: patterns.unchecked };
}

/** For the client of the protocol, which checks results by the output schema of their tool. */
export const schemaValidator: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => compileSchema<T>(schema).validate,
};
