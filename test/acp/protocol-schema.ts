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
const STABLE = require('@agentclientprotocol/sdk/schema/v1/schema.json') as ProtocolSchema;
const UNSTABLE = require('@agentclientprotocol/sdk/schema/v1/schema.unstable.json') as ProtocolSchema;

const parsers = new Map<string, z.ZodType>();

function toParser(schema: ProtocolSchema, name: string): z.ZodType {
  const key = `${schema === STABLE} ${name}`;
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

/** The definition of a message, in the stable schema if that has it. */
function find(method: string, kind: 'Request' | 'Response' | 'Notification') {
  for (const schema of [STABLE, UNSTABLE]) {
    const entry = Object.entries(schema.$defs).find(([name, it]) => it['x-method'] === method && name.endsWith(kind));
    if (entry) return { schema, name: entry[0] };
  }
  throw new Error(`The schema of the protocol has no ${kind} of ${method}.`);
}

/** @throws ZodError for a value that the JSON schema of the protocol refuses. */
export function check(method: string, kind: 'Request' | 'Response' | 'Notification', value: unknown): void {
  const { schema, name } = find(method, kind);
  toParser(schema, name).parse(value);
}

/** The methods of an agent in the stable schema, and in the unstable one. */
export function agentMethods(schema: 'stable' | 'unstable'): string[] {
  const { $defs } = schema === 'stable' ? STABLE : UNSTABLE;
  const methods = Object.values($defs).filter((it) => it['x-side'] === 'agent');
  return [...new Set(methods.map((it) => it['x-method']!))].toSorted();
}

/** The kinds of `session/update` in the stable schema. */
export function updateKinds(): string[] {
  const { oneOf = [] } = STABLE.$defs['SessionUpdate'] as {
    oneOf?: { properties: { sessionUpdate: { const: string } } }[];
  };
  return oneOf.map(({ properties }) => properties.sessionUpdate.const).toSorted();
}
