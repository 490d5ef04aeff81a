import { z } from 'zod';
import { problemSchema, ROUTES, type Route } from '../contract/index.ts';
import { moveDefinitions } from './move-definitions.ts';

type Json = Record<string, unknown>;

const cached = new Map<string, Json>();

/** The routes as an OpenAPI 3.1 document, generated from the schemas that validate requests. @param basePath Default: the root. */
export function toOpenApi(version: string, basePath = ''): Json {
  const known = cached.get(basePath);
  if (known) return known;
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    (paths[path] ??= {})[route.method.toLowerCase()] = toOperation(name, route);
  }
  const { moved, schemas } = moveDefinitions(paths);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: 'Klaus',
      version,
      description: 'Follow, steer and approve sessions of the agent engine Klaus.',
    },
    servers: [{ url: basePath || '/' }],
    security: [{ token: [] }, { cookie: [] }],
    paths: moved,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'klaus', description: 'Set by `POST /api/sign-in`.' },
      },
      schemas: { Problem: toSchema(problemSchema, 'output'), ...schemas },
    },
  };
  cached.set(basePath, document);
  return document;
}

function toOperation(name: string, route: Route): Json {
  const parameters = [...toParameters(route.params, 'path'), ...toParameters(route.query, 'query')];
  return {
    operationId: name,
    summary: route.summary,
    'x-role': route.open ? null : route.role,
    'x-projects': route.open ? null : route.projects,
    tags: [route.tag],
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: toRequestBody(route.body) } : {}),
    responses: {
      ...(route.kind === 'redirect'
        ? { 302: { description: 'Redirects a browser.' } }
        : { [route.status ?? 200]: { description: 'Success.', content: toContent(route) } }),
      default: {
        description: 'Error.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** A request without a body has an empty object as its body. */
function toRequestBody(body: z.ZodObject): Json {
  const required = !body.safeParse({}).success;
  return { required, content: { 'application/json': { schema: toSchema(body, 'input') } } };
}

function toContent({ kind = 'json', media, answer }: Route): Json {
  if (media) {
    const rows = media.map((type) => [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}] as const);
    return Object.fromEntries(rows);
  }
  const schema = toSchema(answer, 'output');
  if (kind === 'json') return { 'application/json': { schema } };
  // OpenAPI 3.1 cannot describe the events of a stream. Each property of `x-events` is one event with its data.
  return { 'text/event-stream': { 'x-events': schema } };
}

function toParameters(schema: z.ZodObject | undefined, location: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description,
    schema: rest,
  }));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return (io === 'output' ? toSent(json) : json) as Json;
}

/** Describes what JSON makes of an output: a field without a value is absent. */
function toSent(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toSent);
  if (typeof schema !== 'object' || schema === null) return schema;
  const json = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, toSent(part)])) as Json;
  const { properties, required, allOf } = json as { properties?: Json; required?: unknown; allOf?: unknown };
  if (properties && Array.isArray(required)) json['required'] = required.filter((name) => !isAny(properties[name]));
  // No part alone has all fields.
  return Array.isArray(allOf) ? { ...json, allOf: allOf.map(toOpen), unevaluatedProperties: false } : json;
}

function isAny(schema: unknown): boolean {
  return Object.keys(schema as Json).every((keyword) => keyword === 'description');
}

function toOpen({ additionalProperties, unevaluatedProperties: _, ...part }: Json): Json {
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
    Array.isArray(part[keyword]) ? [[keyword, (part[keyword] as Json[]).map(toOpen)] as const] : [],
  );
  const own = additionalProperties === false ? part : { ...part, additionalProperties };
  return { ...own, ...Object.fromEntries(alternatives) };
}
