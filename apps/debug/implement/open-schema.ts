import { KlendathuError } from '../investigate/klendathu-error.ts';
import { messageOf } from '../investigate/message-of.ts';
import {
  isRawShape,
  isStandard,
  isZod3,
  type JsonSchema,
  type RawShape,
  type SchemaInput,
  type StandardIssue,
  type StandardSchema,
} from './schema-input.ts';

/** Reasons that are shown to the model at once. */
const MAX_REASONS = 20;

export interface OpenedSchema {
  /** What the model is shown. */
  jsonSchema: Record<string, unknown>;
  /** The valid value, with the transformations of the schema, or the reasons against it. */
  readonly check: (value: unknown) => Promise<{ value: unknown } | { reasons: readonly string[] }>;
}

/**
 * Prepares a schema for the model and for checks.
 *
 * @param jsonSchema Instead of a conversion, for a Standard Schema that cannot be converted.
 * @throws KlendathuError `schema`
 */
export async function openSchema(schema: SchemaInput, jsonSchema?: JsonSchema): Promise<OpenedSchema> {
  if (typeof schema !== 'object' && typeof schema !== 'function') throw toSchemaError('it is no object');
  try {
    const validator = await toValidator(schema);
    if (validator === undefined) return await openJsonSchema(schema as JsonSchema);
    return {
      jsonSchema: jsonSchema === undefined ? await convert(validator.source) : { ...jsonSchema },
      check: validator.check,
    };
  } catch (error) {
    if (KlendathuError.isInstance(error)) throw error;
    throw toSchemaError(messageOf(error), error);
  }
}

function toSchemaError(reason: string, cause?: unknown) {
  return new KlendathuError('schema', `The schema cannot be converted to JSON Schema: ${reason}`, {
    hint: 'Give a JSON Schema as the schema, or in the option `jsonSchema` next to a Standard Schema.',
    ...(cause !== undefined && { cause }),
  });
}

type Check = OpenedSchema['check'];

async function toValidator(schema: SchemaInput): Promise<{ source: object; check: Check } | undefined> {
  if (isStandard(schema)) return { source: schema, check: checkStandard(schema) };
  if (isZod3(schema)) {
    return {
      source: schema,
      check: async (value) => {
        const parsed = await schema.safeParseAsync(value);
        return parsed.success ? { value: parsed.data } : toReasons(parsed.error.issues);
      },
    };
  }
  if (!isRawShape(schema)) return undefined;
  return toValidator((await toObject(schema)) as SchemaInput);
}

/** `z.object` of the version of zod to which the parts belong. */
async function toObject(shape: RawShape): Promise<object> {
  const parts = Object.values(shape) as object[];
  if (parts.every((part) => '_zod' in part)) {
    const { object } = await import('zod');
    return object(shape as never);
  }
  if (parts.some((part) => '_zod' in part || !isZod3(part))) throw toSchemaError('its parts are of several libraries');
  const { z } = await import('zod/v3');
  return z.object(shape as never);
}

function checkStandard(schema: StandardSchema): Check {
  return async (value) => {
    const result = await schema['~standard'].validate(value);
    return result.issues === undefined ? { value: result.value } : toReasons(result.issues);
  };
}

function toReasons(issues: readonly StandardIssue[]) {
  const reasons = issues.slice(0, MAX_REASONS).map(({ message, path = [] }) => {
    const keys = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
  });
  return { reasons: reasons.length === 0 ? ['The value is invalid.'] : reasons };
}

/** The JSON Schema of what the model must send: the input of transformations. */
async function convert(schema: object): Promise<Record<string, unknown>> {
  if ('_zod' in schema) {
    const { toJSONSchema } = await import('zod');
    return toJSONSchema(schema as never, { io: 'input' });
  }
  if (isZod3(schema)) {
    const { zodToJsonSchema } = await import('zod-to-json-schema');
    return zodToJsonSchema(schema as never, { $refStrategy: 'root', effectStrategy: 'input' });
  }
  if (isStandard(schema) && schema['~standard'].jsonSchema !== undefined) {
    return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  }
  // ArkType
  if ('toJsonSchema' in schema && typeof schema.toJsonSchema === 'function') {
    return (schema as { toJsonSchema: () => Record<string, unknown> }).toJsonSchema();
  }
  const vendor = isStandard(schema) ? schema['~standard'].vendor : 'its library';
  throw toSchemaError(`${vendor} offers no conversion`);
}

/** Draft 2020-12, or draft-07 if `$schema` says so. `format` and patterns without linear time are not checked. */
async function openJsonSchema(schema: JsonSchema): Promise<OpenedSchema> {
  // A copy without functions: what the model is shown and what is checked must be the same.
  const jsonSchema = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  const rules = { allErrors: true, strict: false, validateFormats: false, logger: false } as const;
  const isDraft7 = /draft-0[67]/u.test(String(jsonSchema['$schema']));
  const { createSchemaPatterns } = await import('./schema-patterns.ts');
  const checked = { ...rules, code: { regExp: createSchemaPatterns() } };
  const ajv = isDraft7
    ? new (await import('ajv')).Ajv(checked)
    : new (await import('ajv/dist/2020.js')).Ajv2020(checked);
  const validate = ajv.compile(jsonSchema);
  return {
    jsonSchema,
    check: (value) =>
      Promise.resolve(
        validate(value)
          ? { value }
          : toReasons(
              (validate.errors ?? []).map(({ instancePath, message, params }) => ({
                message: `${instancePath || 'The value'} ${message ?? 'is wrong'} (${JSON.stringify(params)})`,
              })),
            ),
      ),
  };
}
