import { expect, test } from 'vitest';
import { z } from 'zod';
import { EVENT_VERSION, eventBodySchema } from './events/event.ts';
import { toCommandsJsonSchema, toConfigJsonSchema, toEventsJsonSchema } from './json-schema.ts';

/** Reads the JSON Schema back, as a program in another language would. */
const read = (schema: unknown) => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

const envelope = { v: EVENT_VERSION, seq: 1, prev: '0'.repeat(64), session: 's', at: 0 };

test('the schema of events has one definition for each type, with its envelope', () => {
  const { $defs = {} } = toEventsJsonSchema();
  const types = eventBodySchema.options.map((event) => event.shape.type.value);
  expect(Object.keys($defs)).toEqual(expect.arrayContaining(types));
  for (const type of types) expect($defs[type]?.required).toEqual(expect.arrayContaining(Object.keys(envelope)));
});

test('the schema of events takes what is an event, with fields of a later version, and nothing else', () => {
  const schema = read(toEventsJsonSchema());
  const notice = { ...envelope, type: 'notice', level: 'info', text: 'hello' };
  expect(schema.safeParse(notice).success).toBe(true);
  expect(schema.safeParse({ ...notice, later: true }).success).toBe(true);
  expect(schema.safeParse({ ...notice, type: 'notice.made' }).success).toBe(false);
  expect(schema.safeParse({ ...notice, seq: undefined }).success).toBe(false);
  expect(schema.safeParse({ ...notice, level: 'loud' }).success).toBe(false);
});

test('the schema of commands takes what is a command', () => {
  const schema = read(toCommandsJsonSchema());
  const parts = [{ type: 'text', text: 'go' }];
  expect(schema.safeParse({ type: 'prompt', id: 'x', parts, onAsk: 'deny', delivery: 'queue' }).success).toBe(true);
  expect(schema.safeParse({ type: 'prompt', id: 'x', parts: [{ type: 'song' }], onAsk: 'deny' }).success).toBe(false);
  expect(schema.safeParse({ type: 'obey', id: 'x' }).success).toBe(false);
});

test('the schema of a configuration file takes settings and no other key', () => {
  const schema = read(toConfigJsonSchema());
  expect(schema.safeParse({ approve: 'ask', limits: { usd: 3 }, keys: { openai: 'k' } }).success).toBe(true);
  expect(schema.safeParse({ approve: 'never' }).success).toBe(false);
  expect(schema.safeParse({ limits: { usd: -1 } }).success).toBe(false);
  expect(schema.safeParse({ limit: { usd: 1 } }).success).toBe(false);
});
