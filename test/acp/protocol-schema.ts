import { createRequire } from 'node:module';
import { z } from 'zod';

interface Definition {
  'x-method'?: string;
  'x-side'?: string;
}

interface ProtocolSchema {
  $schema: string;
  $defs: Record<string, Definition>;
}

const require = createRequire(import.meta.url);
const STABLE = read('v1/schema.json');
const UNSTABLE = read('v1/schema.unstable.json');

/** The draft of version 2. */
const DRAFT = read('v2/schema.json');

/** A schema without the variants of future versions, which allow nearly everything. */
function read(path: string): ProtocolSchema {
  return withoutFuture(require(`@agentclientprotocol/sdk/schema/${path}`)) as ProtocolSchema;
}

function withoutFuture(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.filter((each: { title?: string } | null) => each?.title !== 'other');
    return kept.map(withoutFuture);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutFuture(each)]));
}

const SCHEMAS = { stable: STABLE, unstable: UNSTABLE, draft: DRAFT };

/** The versions of the protocol, each with the schemas in which a message is looked up. */
const VERSIONS = { 1: [STABLE, UNSTABLE], 2: [DRAFT] };
export type ProtocolVersion = keyof typeof VERSIONS;

const parsers = new Map<string, z.ZodType>();

function toParser(schema: ProtocolSchema, name: string): z.ZodType {
  const key = `${[STABLE, UNSTABLE, DRAFT].indexOf(schema)} ${name}`;
  const parser =
    parsers.get(key) ??
    z.fromJSONSchema({
      $schema: schema.$schema,
      $defs: schema.$defs,
      $ref: `#/$defs/${name}`,
    } as z.core.JSONSchema.JSONSchema);
  parsers.set(key, parser);
  return parser;
}

type Kind = 'Request' | 'Response' | 'Notification';

/** The definition of a message, in the stable schema if that has it. */
function find({ method, kind, version }: { method: string; kind: Kind; version: ProtocolVersion }) {
  for (const schema of VERSIONS[version]) {
    const entry = Object.entries(schema.$defs).find(([name, it]) => it['x-method'] === method && name.endsWith(kind));
    if (entry) return { schema, name: entry[0] };
  }
  throw new Error(`The schema of the protocol has no ${kind} of ${method}.`);
}

/** @throws ZodError for a value that the JSON schema of the protocol refuses. */
export function check(message: { method: string; kind: Kind; version: ProtocolVersion }, value: unknown): void {
  const { schema, name } = find(message);
  toParser(schema, name).parse(value);
}

/** The methods of an agent in a schema. */
export function agentMethods(name: keyof typeof SCHEMAS): string[] {
  const methods = Object.values(SCHEMAS[name].$defs).filter((it) => it['x-side'] === 'agent');
  return [...new Set(methods.map((it) => it['x-method']!))].toSorted();
}

/** The kinds of `session/update` in a schema. */
export function updateKinds(name: keyof typeof SCHEMAS): string[] {
  const { oneOf, anyOf } = SCHEMAS[name].$defs['SessionUpdate'] as Record<'oneOf' | 'anyOf', Variant[] | undefined>;
  return (oneOf ?? anyOf ?? []).map(({ properties }) => properties.sessionUpdate.const).toSorted();
}

interface Variant {
  properties: { sessionUpdate: { const: string } };
}
