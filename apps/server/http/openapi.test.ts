import { expect, test } from 'vitest';
import { ROUTES, type Route } from '../contract/index.ts';
import { toOpenApi } from './openapi.ts';

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
  security?: unknown[];
};

test('the description names every route once, with each parameter of its address', () => {
  const { openapi, paths } = toOpenApi('test') as { openapi: string; paths: Record<string, Record<string, Operation>> };
  expect(openapi).toBe('3.1.0');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(ids.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (operation.parameters ?? []).filter((it) => it.in === 'path').map(({ name }) => name);
    expect({ path, described }).toEqual({ path, described: named });
    expect(Object.keys(operation.responses)).toContain('default');
  }
  const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path);
  const signIns = ['/api/sign-in', '/api/sign-in', '/api/sign-in/callback', '/api/sign-in/start'];
  expect(open.toSorted()).toEqual([...signIns, '/health']);
});

test('every reference leads to a schema of the document', () => {
  const document = toOpenApi('test') as { components: { schemas: object } };
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, address]) => address!);
  const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(new Set(references)).toEqual(new Set(schemas));
});

test('no two routes answer the same request', () => {
  const shapes = Object.values<Route>(ROUTES).map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  expect(new Set(shapes).size).toBe(shapes.length);
});
