import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { expect, expectTypeOf, test } from 'vitest';
import { openSchema } from './open-schema.ts';
import type { SchemaOutput, StandardSchema } from './schema-input.ts';

const DATE = '2026-01-02T00:00:00.000Z';
const zod4 = { name: z.string(), at: z.string().transform((text) => new Date(text)) };
const zod3 = { name: z3.string(), at: z3.string().transform((text) => new Date(text)) };

test.each([
  ['zod 4', z.object(zod4)],
  ['a raw shape of zod 4', zod4],
  ['zod 3', z3.object(zod3)],
  ['a raw shape of zod 3', zod3],
])('%s is shown as its input, checked, and transformed', async (_, schema) => {
  const { jsonSchema, check } = await openSchema(schema);
  expect(jsonSchema).toMatchObject({
    type: 'object',
    properties: { name: { type: 'string' }, at: { type: 'string' } },
    required: ['name', 'at'],
  });
  expect(await check({ name: 'a', at: DATE })).toEqual({ value: { name: 'a', at: new Date(DATE) } });
  expect(await check({ name: 1, at: DATE })).toEqual({ reasons: [expect.stringMatching(/^name: /u)] });
});

test.each([
  [
    '2020-12',
    { type: 'object', properties: { a: { prefixItems: [{ type: 'integer' }] } }, required: ['a'] },
    { a: [1] },
    { a: ['x'] },
  ],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }] }, [1], ['x']],
])('a JSON Schema, %s', async (_, schema, valid, invalid) => {
  const { jsonSchema, check } = await openSchema(schema);
  expect(jsonSchema).toEqual(schema);
  expect(await check(valid)).toEqual({ value: valid });
  expect(await check(invalid)).toMatchObject({ reasons: [expect.any(String)] });
});

const own: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) =>
      typeof value === 'number'
        ? { value: value * 2 }
        : { issues: [{ message: 'no number', path: ['a', { key: 0 }] }] },
  },
};

test('a Standard Schema needs a JSON Schema beside it if it cannot be converted', async () => {
  await expect(openSchema(own)).rejects.toMatchObject({ code: 'schema' });
  const { jsonSchema, check } = await openSchema(own, { type: 'number' });
  expect(jsonSchema).toEqual({ type: 'number' });
  expect(await check(2)).toEqual({ value: 4 });
  expect(await check('2')).toEqual({ reasons: ['a.0: no number'] });
});

test.each([
  ['a function inside', z.object({ a: z.custom(), b: z.function() as never })],
  ['a date', z.object({ at: z.date() })],
  ['an invalid JSON Schema', { type: 'unknown' }],
  [
    'a cycle',
    Object.assign(
      { type: 'object' },
      {
        get self() {
          return this;
        },
      },
    ),
  ],
  ['text', 'no schema' as never],
  ['two versions of zod', { a: z.string(), b: z3.string() }],
])('%s is no schema', async (_, schema) => {
  await expect(openSchema(schema as never)).rejects.toMatchObject({ code: 'schema' });
});

test('types', () => {
  expectTypeOf<SchemaOutput<typeof own>>().toEqualTypeOf<number>();
  expectTypeOf<SchemaOutput<typeof zod4>>().toEqualTypeOf<{ name: string; at: Date }>();
  expectTypeOf<SchemaOutput<typeof zod3>>().toEqualTypeOf<{ name: string; at: Date }>();
  expectTypeOf<SchemaOutput<{ type: 'object' }>>().toEqualTypeOf<unknown>();
});
