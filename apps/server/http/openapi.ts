import { z } from 'zod';
import { problemSchema, ROUTES, type Route } from '../contract/index.ts';

type Json = Record<string, unknown>;

let cached: Json | undefined;

/** The routes as an OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function toOpenApi(version: string): Json {
  if (cached) return cached;
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    (paths[path] ??= {})[route.method.toLowerCase()] = toOperation(name, route);
  }
  return (cached = {
    openapi: '3.1.0',
    info: {
      title: 'Klaus',
      version,
      description: 'Follow, steer and approve sessions of the agent engine Klaus.',
    },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'klaus', description: 'Set by `POST /api/sign-in`.' },
      },
      schemas: { Problem: toSchema(problemSchema, 'output') },
    },
  });
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
    ...(route.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: toSchema(route.body, 'input') } } } }
      : {}),
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

function toContent({ kind = 'json', answer }: Route): Json {
  if (kind === 'text') return { 'text/markdown': { schema: { type: 'string' } }, 'application/json': { schema: {} } };
  if (kind === 'bytes') return { 'image/*': {}, 'application/pdf': {} };
  const schema = toSchema(answer, 'output');
  if (kind === 'json') return { 'application/json': { schema } };
  // OpenAPI 3.1 cannot describe the events of a stream. Each property of `x-events` is one event with its data.
  return { 'text/event-stream': { schema: { type: 'string' }, 'x-events': schema } };
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
  return json;
}
