import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readOutputSchema } from './output-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'klaus-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

function toSchema(schema: unknown) {
  const path = join(folder, 'schema.json');
  writeFileSync(path, typeof schema === 'string' ? schema : JSON.stringify(schema));
  return readOutputSchema(path);
}

test.each([
  ['the complete answer', ' {"a":1}\n', { a: 1 }],
  ['a code block', 'Here it is:\n\n```json\n{"a": 1}\n```\nDone.', { a: 1 }],
  ['a code block without a language', '```\n[1]\n```', [1]],
  ['the last block that is JSON', '```json\n1\n```\n\n~~~json\n2\n~~~\n\n```sh\nls\n```', 2],
  ['a longer fence around a shorter one', '````json\n"a\\n```\\nb"\n````', 'a\n```\nb'],
])('finds %s', (_, answer, value) => {
  expect(toSchema(true).read(answer)).toEqual({ value });
});

test.each(['', 'no JSON', '```json\n{"a": \n```'])('finds no JSON in %j', (answer) => {
  expect(toSchema(true).read(answer)).toEqual({ mistakes: [expect.any(String)] });
});

test.each([
  [{ properties: { a: { type: 'string' } }, required: ['a'] }, {}],
  [{ const: { x: 1 } }, { x: 2 }],
  [{ type: 'object', if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }],
  [{ $ref: '#/$defs/n', $defs: { n: { type: 'integer' } } }, 'x'],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }] }, ['x']],
  [{ prefixItems: [{ type: 'integer' }] }, ['x']],
])('%j rejects %j', (schema, value) => {
  expect(toSchema(schema).read(JSON.stringify(value))).toEqual({
    mistakes: expect.arrayContaining([expect.any(String)]),
  });
});

test('a mistake names its place', () => {
  const schema = toSchema({ properties: { items: { items: { properties: { price: { type: 'number' } } } } } });
  const found = schema.read('{"items":[{"price":"1"}]}');
  expect('mistakes' in found && found.mistakes[0]).toContain('/items/0/price');
});

test.each(['{', '1', '{"type":"nothing"}', '{"$ref":"https://example.com/x.json"}'])('%s is no schema', (text) => {
  expect(() => toSchema(text)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('a folder and a missing file are refused', () => {
  for (const path of [folder, join(folder, 'nothing')])
    expect(() => readOutputSchema(path)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('a pattern that cannot be tested in linear time is named and not checked, and others are', () => {
  const schema = toSchema({ properties: { a: { pattern: '(?=x)y' }, b: { pattern: '^b+$' } } });
  expect(schema.warning).toContain('"(?=x)y"');
  expect(schema.read('{"a":"1","b":"bb"}')).toEqual({ value: { a: '1', b: 'bb' } });
  expect(schema.read('{"b":"a"}')).toEqual({ mistakes: [expect.stringContaining('/b')] });
  expect(toSchema({ pattern: '^a$' }).warning).toBe('');
});
