import { optional } from '@klaus/sdk/optional';
import { z } from 'zod';
import { problemSchema, ROUTES, type Route } from '../contract/index.ts';

type Json = Record<string, unknown>;

let made: Json | undefined;

/** The routes as an OpenAPI 3.1 document, made from the schemas that requests are checked by. */
export function toOpenApi(version: string): Json {
  if (made) return made;
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    (paths[path] ??= {})[route.method.toLowerCase()] = toOperation(name, route);
  }
  return (made = {
    openapi: '3.1.0',
    info: {
      title: 'Klaus',
      version,
      description: 'Sessions of the agent engine Klaus: watch, steer and approve them.',
    },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'klaus', description: 'Set by POST /api/sign-in.' },
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
    tags: [route.tag],
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: toSchema(route.body, 'input') } } } }
      : {}),
    responses: {
      [route.status ?? 200]: { description: 'Done.', content: toContent(route) },
      default: {
        description: 'Refused.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function toContent({ kind = 'json', answer }: Route): Json {
  if (kind === 'text') return { 'text/markdown': { schema: { type: 'string' } }, 'application/json': { schema: {} } };
  const schema = toSchema(answer, 'output');
  if (kind === 'json') return { 'application/json': { schema } };
  // OpenAPI 3.1 has no word for the events of a stream: each property names one, and what its data holds.
  return { 'text/event-stream': { schema: { type: 'string' }, 'x-events': schema } };
}

function toParameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...optional({ description }),
    schema: rest,
  }));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _$schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json;
}
