// Covers apps/debug/server: the tools over MCP, what is refused before a request is read, and records.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { arm } from '../../apps/debug/capture/arm.ts';
import { debugRecordSchema, type ValueNode } from '../../apps/debug/contract/index.ts';
import { createRecord } from '../../apps/debug/server/create-record.ts';
import { startDebugServer, type DebugServer } from '../../apps/debug/server/debug-server.ts';
import { serveRecord } from '../../apps/debug/server/from-record.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function connect(server: DebugServer) {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  open.push(() => server.close());
  open.push(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { structuredContent, isError = false } = await client.callTool({ name, arguments: input });
    return { isError, output: structuredContent as Record<string, unknown> };
  };
  return { client, call };
}

function checkout(cart: { items: { price?: { amount: number } }[] }): number {
  const rate = 2;
  return cart.items.reduce((sum, item) => sum + item.price!.amount * rate, 0);
}

function failWithLocals(): unknown {
  const armed = arm();
  try {
    checkout({ items: [{ price: { amount: 1 } }, {}] });
  } catch (error) {
    return error;
  } finally {
    armed.disarm();
  }
  throw new Error('It did not fail.');
}

test('frames, variables, source, console, evaluation in a frame, report', async () => {
  const reports: unknown[] = [];
  const error = failWithLocals();
  const server = await startDebugServer({
    error,
    context: { limit: 3 },
    onReport: (findings) => reports.push(findings),
  });
  const { call } = await connect(server);
  const { frames } = (await call('frames')).output as { frames: { functionName?: string; line: number }[] };
  const frame = frames.findIndex(({ functionName }) => functionName === 'checkout');
  const { values } = (await call('locals', { frame, depth: 3 })).output as { values: ValueNode[] };
  expect(values.map(({ name }) => name)).toEqual(expect.arrayContaining(['cart', 'rate']));
  const part = (await call('locals', { frame, path: 'cart.items[1]' })).output as { values: ValueNode[] };
  expect(part.values[0]).toMatchObject({ type: 'Object', preview: '{}' });
  expect((await call('locals', { frame, path: 'cart.nothing' })).isError).toBe(true);
  expect((await call('locals', { frame: 99 })).isError).toBe(true);
  const evaluated = await call('eval', { code: 'cart.items.findIndex((item) => !item.price) + rate + limit', frame });
  expect(evaluated).toMatchObject({ isError: false, output: { result: '6' } });
  const source = await call('source', { file: import.meta.filename, line: frames[frame]!.line, around: 0 });
  expect(source.output['text']).toContain('item.price!.amount');
  process.stdout.write('printed by the program\n');
  const { entries } = (await call('console')).output as { entries: { seq: number; text: string }[] };
  expect(entries.at(-1)?.text).toContain('printed by the program');
  const { seq } = entries.at(-1)!;
  expect((await call('console', { since: seq })).output).toEqual({ entries: [] });
  expect((await call('report', { text: 'An item has no price.' })).output).toEqual({ accepted: true });
  expect(reports).toEqual([{ text: 'An item has no price.', evidence: [] }]);
});

test('access and limits', async () => {
  const server = await startDebugServer({ error: undefined, context: { list: [1] }, maxEvals: 2 });
  const { call } = await connect(server);
  expect((await call('eval', { code: 'list.push(2)', readOnly: false })).isError).toBe(true);
  expect((await call('eval', { code: 'list.length' })).output['result']).toBe('1');
  expect((await call('eval', { code: 'list.push(2)' })).isError).toBe(true);
  expect((await call('eval', { code: 'list.length' })).isError).toBe(true);
  expect((await call('frames')).output).toEqual({ frames: [] });
});

test('set_result is validated, with attempts', async () => {
  const results: unknown[] = [];
  const server = await startDebugServer({
    error: undefined,
    context: {},
    implement: {
      validate: (value) => Promise.resolve(typeof value === 'number' ? [] : ['no number']),
      onResult: (value) => results.push(value),
      onRefused: () => {},
      attempts: 3,
    },
  });
  const { call, client } = await connect(server);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('fail_implementation');
  expect((await call('set_result', { result: 'x' })).output).toEqual({
    accepted: false,
    errors: ['no number'],
    attemptsLeft: 2,
  });
  expect((await call('set_result', { result: 5 })).output).toEqual({ accepted: true });
  expect((await call('set_result', { result: 6 })).isError).toBe(true);
  expect(results).toEqual([5]);
});

interface Sent {
  headers?: Record<string, string>;
  body?: string;
}

function send(server: DebugServer, { headers = {}, body = '{}' }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

test('the token, the host and the origin are checked', async () => {
  const server = await startDebugServer({ error: undefined, context: {} });
  open.push(() => server.close());
  const authorization = `Bearer ${server.token}`;
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
  expect(await send(server, {})).toBe(401);
  expect(await send(server, { headers: { authorization: 'Bearer x' } })).toBe(401);
  expect(await send(server, { headers: { authorization, host: 'example.com' } })).toBe(403);
  expect(await send(server, { headers: { authorization, origin: 'https://example.com' } })).toBe(403);
  expect(
    await send(server, { headers: { authorization }, body: 'x'.repeat(2_000_000) }).catch(() => 413),
  ).toBeGreaterThanOrEqual(400);
  await server.close();
  await expect(send(server, { headers: { authorization } })).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) });
});

test('a record is valid, and serves what the error served', async () => {
  const error = failWithLocals();
  const context = { limit: 3, map: new Map([['k', { a: [1, 'x', null, undefined, true] }]]), at: new Date(0) };
  const record = debugRecordSchema.parse(JSON.parse(JSON.stringify(await createRecord({ error, context }))));
  const live = await startDebugServer({ error, context });
  expect(record.fingerprint).toBe(live.fingerprint);
  await live.close();
  const { call } = await connect(await serveRecord(record));
  const { frames } = (await call('frames')).output as { frames: { functionName?: string }[] };
  const frame = frames.findIndex(({ functionName }) => functionName === 'checkout');
  expect(((await call('locals', { frame })).output['values'] as ValueNode[]).map(({ name }) => name)).toContain('cart');
  const part = (await call('locals', { frame, path: 'cart.items' })).output as { values: ValueNode[] };
  expect(part.values[0]).toMatchObject({ name: 'items', size: 2 });
  const evaluated = await call('eval', { code: 'cart.items.findIndex((item) => !item.price) + rate + limit', frame });
  expect(evaluated.output['result']).toBe('6');
  expect((await call('eval', { code: 'map.get("k").a' })).output['result']).toBe('[ 1, "x", null, undefined, true ]');
  expect((await call('eval', { code: 'at.toISOString()' })).output['result']).toBe('"1970-01-01T00:00:00.000Z"');
  expect((await call('eval', { code: 'error.name' })).output['result']).toBe('"TypeError"');
  expect((await call('eval', { code: '1', readOnly: false })).isError).toBe(true);
});
