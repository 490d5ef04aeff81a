import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findUnknownFields } from './unknown-fields.ts';

const toSchema = (input: z.ZodType): unknown => z.toJSONSchema(input, { io: 'input' });
const paths = (schema: unknown, value: unknown, accepts?: 'none' | 'unlike') =>
  findUnknownFields(schema, value, { ...(accepts && { accepts }) }).map(({ path, nearest }) =>
    nearest === undefined ? path : `${path} → ${nearest}`,
  );

describe('a schema of zod', () => {
  const edit = z.object({ path: z.string(), lines: z.array(z.object({ text: z.string().optional() })).optional() });
  test.each([
    ['an object', z.object({ folder: z.string() }), { folder: '.', variables: {} }, ['variables']],
    ['a field spelled almost right', z.object({ path: z.string() }), { pth: 'src' }, ['pth → path']],
    ['a right field is not the nearest', z.object({ path: z.string() }), { path: 'a', pth: 'src' }, ['pth']],
    ['no fields', z.object({}), { a: 1 }, ['a']],
    ['an inner object', z.object({ edit }), { edit: { path: 'a', lins: [] } }, ['edit.lins → lines']],
    [
      'a list',
      z.object({ edits: z.array(edit) }),
      { edits: [{ path: 'a', lines: [{ txt: '' }] }] },
      ['edits.0.lines.0.txt → text'],
    ],
    ['a record', z.record(z.string(), edit), { any: { path: 'a' }, other: { pat: 'a' } }, ['other.pat → path']],
    ['an open object', z.looseObject({ path: z.string() }), { pth: 'a' }, []],
    ['any value', z.object({ value: z.unknown() }), { value: { a: { b: 1 } } }, []],
    ['a nullable object', z.object({ edit: edit.nullable() }), { edit: { pat: '' } }, ['edit.pat → path']],
    ['an intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })), { a: '', b: '' }, []],
    [
      'a name of the prototype',
      z.object({ path: z.string() }),
      JSON.parse('{"__proto__": 1, "toString": 2}'),
      ['__proto__', 'toString'],
    ],
    ['a text', z.object({ path: z.string() }), 'src', []],
  ])('%s', (_, schema, value, expected) => {
    expect(paths(toSchema(schema), value)).toEqual(expected);
  });

  test('a variant of a union has its own fields', () => {
    const schema = toSchema(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('file'), path: z.string() }),
        z.object({ kind: z.literal('host'), name: z.string() }),
      ]),
    );
    expect(paths(schema, { kind: 'file', path: 'a' })).toEqual([]);
    expect(paths(schema, { kind: 'file', name: 'a' })).toEqual(['name']);
  });

  test('a schema that contains itself', () => {
    const node: z.ZodType = z.object({
      name: z.string(),
      get children() {
        return z.array(node).optional();
      },
    });
    expect(paths(toSchema(node), { name: 'a', children: [{ name: 'b', children: [{ nam: 'c' }] }] })).toEqual([
      'children.0.children.0.nam → name',
    ]);
  });
});

describe('a schema of others', () => {
  const fields = { type: 'object', properties: { path: { type: 'string' } } };
  test.each([
    ['refuses every other field if it is closed', { ...fields, additionalProperties: false }, { x: 1 }, ['x']],
    ['refuses what is spelled like a field', fields, { pth: 1, limit: 2 }, ['pth → path']],
    ['accepts every field if it says so', { ...fields, additionalProperties: true }, { pth: 1 }, []],
    ['accepts every field without a list of fields', { type: 'object' }, { pth: 1 }, []],
    [
      'accepts fields that follow from others',
      { ...fields, if: {}, then: { properties: { pat: {} } } },
      { pat: 1 },
      [],
    ],
    ['reads what it refers to', { $ref: '#/$defs/a', $defs: { a: fields } }, { pth: 1 }, ['pth → path']],
    ['reads nothing of a reference elsewhere', { $ref: 'https://example.com/a' }, { pth: 1 }, []],
  ])('%s', (_, schema, value, expected) => {
    expect(paths(schema, value, 'unlike')).toEqual(expected);
  });

  test('one that refers to itself without end is read to a limit', () => {
    const bomb = {
      anyOf: [{ $ref: '#' }, { $ref: '#' }],
      allOf: [{ $ref: '#' }, { properties: { a: { $ref: '#' } } }],
    };
    expect(paths(bomb, { a: { a: { a: { b: 1 } } } })).toEqual([]);
  });
});

test('a name of any length has an answer', () => {
  const [found] = findUnknownFields(toSchema(z.object({ path: z.string() })), { ['p'.repeat(1_000_000)]: 1 });
  expect(found).toMatchObject({ known: ['path'] });
});
