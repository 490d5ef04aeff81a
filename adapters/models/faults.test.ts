import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Model, ModelEvent, ModelFailure } from '@klaus/core/agent';
import { createModels, createModelServer, parseScript } from './index.ts';
import { toFailure } from './failure/failure.ts';
import { ProviderError } from './failure/errors.ts';

const WIRES = ['anthropic', 'openai', 'responses'] as const;
type Wire = (typeof WIRES)[number];

async function connect(url: string, wire: Wire): Promise<Model> {
  return createModels({ keys: {}, scripted: async () => ({ url, wire }) }).resolve('scripted/test');
}

async function play(wire: Wire, fault: string): Promise<Model> {
  const script = await parseScript(
    `steps: [{ chunk: 2, reply: { text: "full answer" }, faults: [${fault}] }]`,
    'test.yaml',
  );
  const server = await createModelServer({ script });
  onTestFinished(() => server.close());
  return connect(server.url, wire);
}

async function ask(model: Model): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const request = {
    system: '',
    tools: [],
    messages: [
      { id: 'M1', role: 'user' as const, origin: 'user' as const, parts: [{ type: 'text' as const, text: 'hi' }] },
    ],
    maxOutputTokens: 100,
    session: 'S1',
  };
  for await (const event of model.stream(request, { signal: new AbortController().signal })) events.push(event);
  return events;
}

const faults: [fault: string, expected: Partial<ModelFailure>][] = [
  ['{ kind: status, status: 429, retryAfter: 3 }', { code: 'rate_limited', status: 429, retryAfterMs: 3_000 }],
  ['{ kind: status, status: 429, retryAfter: 0.25 }', { code: 'rate_limited', status: 429, retryAfterMs: 250 }],
  ['{ kind: status, status: 529 }', { code: 'overloaded', status: 529 }],
  ['{ kind: status, status: 503 }', { code: 'overloaded', status: 503 }],
  ['{ kind: status, status: 500 }', { code: 'server_error', status: 500 }],
  ['{ kind: status, status: 401 }', { code: 'auth', status: 401 }],
  ['{ kind: status, status: 403 }', { code: 'auth', status: 403 }],
  [
    '{ kind: status, status: 400 }',
    { code: 'invalid_request', status: 400, message: expect.stringContaining('400') as string },
  ],
  [
    '{ kind: status, status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" }',
    { code: 'context_window', status: 400 },
  ],
  [
    '{ kind: status, status: 400, message: "This model\'s maximum context length is 128000 tokens." }',
    { code: 'context_window', status: 400 },
  ],
  ['{ kind: status, status: 413 }', { code: 'context_window', status: 413 }],
  ['{ kind: reset }', { code: 'connection' }],
  ['{ kind: reset, after: 4 }', { code: 'connection' }],
  ['{ kind: truncate, after: 4 }', { code: 'connection' }],
  ['{ kind: malformed, after: 4 }', { code: 'malformed' }],
  ['{ kind: error, after: 4 }', { code: 'overloaded' }],
  ['{ kind: error, after: 4, status: 500, message: broken }', { code: 'server_error', message: 'broken' }],
  ['{ kind: error, after: 4, status: 429 }', { code: 'rate_limited' }],
];

for (const wire of WIRES) {
  test.each(faults)(`${wire}: %s`, async (fault, expected) => {
    const model = await play(wire, fault);
    const events = await ask(model);
    expect(events.filter((event) => event.type === 'failed' || event.type === 'finished')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: expected });
    // The fault hits the first attempt only; the same request then gets its answer.
    expect((await ask(model)).at(-1)).toMatchObject({
      type: 'finished',
      parts: [{ type: 'text', text: 'full answer' }],
    });
  });

  test(`${wire}: a fault that is there always hits every attempt`, async () => {
    const model = await play(wire, '{ kind: status, status: 529, always: true }');
    for (let attempt = 0; attempt < 3; attempt++) expect((await ask(model)).at(-1)!.type).toBe('failed');
  });

  test(`${wire}: no server listens`, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const events = await ask(await connect(`http://127.0.0.1:${port}`, wire));
    expect(events).toMatchObject([{ type: 'failed', failure: { code: 'connection' } }]);
    expect(JSON.stringify(events)).toContain('ECONNREFUSED');
  });

  test(`${wire}: a proxy's page instead of a stream`, async () => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const events = await ask(await connect(`http://127.0.0.1:${port}`, wire));
    expect(events).toMatchObject([{ type: 'failed', failure: { code: 'malformed' } }]);
    expect(JSON.stringify(events)).toContain('Log in');
  });
}

const NOW = Date.parse('2026-11-21T12:00:00Z');

function apiError(status: number, headers: Record<string, string>, body?: unknown): ProviderError {
  return new ProviderError({ status, headers, body });
}

test('retry-after may be seconds, milliseconds or a date, and is never negative', () => {
  const after = (headers: Record<string, string>) => toFailure(apiError(429, headers), NOW)!.retryAfterMs;
  expect(after({ 'retry-after': '7' })).toBe(7_000);
  expect(after({ 'retry-after': '7', 'retry-after-ms': '1500' })).toBe(1_500);
  expect(after({ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' })).toBe(30_000);
  expect(after({ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' })).toBe(0);
  expect(after({ 'retry-after': 'soon' })).toBeUndefined();
  expect(after({})).toBeUndefined();
});

test('money that ran out is not retried although it comes as 429', () => {
  const error = apiError(429, {}, { code: 'insufficient_quota', message: 'You exceeded your current quota.' });
  expect(toFailure(error, NOW)!.code).toBe('invalid_request');
});

test('a bug is no failure of the provider', () => {
  expect(toFailure(new TypeError('x is undefined'), NOW)).toBeUndefined();
});
