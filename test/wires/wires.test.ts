// Covers adapters/models: what servers send on the three wires, in any chunks.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModels } from '../../adapters/models/index.ts';
import { createAnswerReader as createMessagesReader } from '../../adapters/models/anthropic/answer-stream.ts';
import { createAnswerReader as createChatReader } from '../../adapters/models/openai/answer-stream.ts';
import { createResponseReader } from '../../adapters/models/openai/responses-stream.ts';
import { createAnswerFeed, type AnswerReader } from '../../adapters/models/wire/answer-feed.ts';
import { createCallIds } from '../../adapters/models/wire/call-ids.ts';
import { toFailure } from '../../adapters/models/failure/failure.ts';
import type { ReadOptions } from '../../adapters/models/wire/http-model.ts';
import type { ModelEvent } from '../../core/agent/index.ts';
import { partSchema, stopReasonSchema, usageSchema, type Part } from '../../core/protocol/index.ts';
import { z } from 'zod';
import { changeValues } from './change-values.ts';
import { readCases, toPlainBytes, toResponse, type CasePart, type WireCase } from './wire-case.ts';

const CASES = readCases();
/** Cases whose body reaches the reader as it is. */
const READ = CASES.filter(({ status, headers }) => status === 200 && !headers['content-encoding']);

const READERS: Record<WireCase['wire'], (options: ReadOptions) => AnswerReader> = {
  chat: (options) => createChatReader({ ...options, exactCost: false }),
  responses: createResponseReader,
  messages: createMessagesReader,
};
const NAMES = { chat: 'openai', responses: 'responses', messages: 'anthropic' } as const;

/** The end of an answer, as the log can store it. */
const endSchema = z.union([
  z.object({ type: z.literal('failed') }),
  z.object({ parts: z.array(partSchema), stopReason: stopReasonSchema, usage: usageSchema }),
]);

/** Reads a body that arrives in chunks, with the code that the clients use. Throws for bugs only. */
function read(wire: WireCase['wire'], chunks: readonly Uint8Array[]): ModelEvent[] {
  const reader = READERS[wire]({ toCallId: createCallIds([]) });
  const feed = createAnswerFeed(reader);
  const events: ModelEvent[] = [];
  try {
    for (const chunk of chunks) {
      if (reader.isComplete) break;
      for (const event of feed.feed(chunk)) events.push(event);
    }
    for (const event of feed.end()) events.push(event);
  } catch (error) {
    const failure = toFailure(error, 0);
    if (!failure) throw error;
    events.push({ type: 'failed', failure });
  }
  return events;
}

/** The end of an answer, and the text of its deltas. */
function toCanonical(events: readonly ModelEvent[]): string {
  const end = events.at(-1)!;
  const join = (type: 'text' | 'thinking' | 'call') =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  return JSON.stringify([end, join('text'), join('thinking'), join('call')]);
}

/** The event that has to end the answer of a case. */
function toExpected({ answer, failure }: WireCase, end?: ModelEvent): unknown {
  if (!answer) {
    const { code, message = '' } = failure!;
    const expected = { code, message: expect.stringContaining(message) as string };
    return { type: 'failed', failure: expect.objectContaining(expected) as object };
  }
  const isEstimated = end?.type === 'finished' && end.isEstimated;
  const usage =
    (!isEstimated && answer.usage) || (expect.objectContaining({ input: expect.any(Number) as number }) as object);
  return { type: 'finished', parts: answer.parts.map(toPart), stopReason: answer.stop, usage };
}

function toPart(part: CasePart): object {
  if ('text' in part) return { type: 'text', ...part };
  const state = part.state === undefined ? {} : { providerState: part.state };
  if ('thinking' in part) return { type: 'thinking', text: part.thinking, ...state };
  const { call: name, input, id = expect.stringMatching(/./) as string } = part;
  return { type: 'call', id, name, input, ...state };
}

/** The end of an answer without what the case does not compare. */
function toCompared(end: ModelEvent, { answer }: WireCase): ModelEvent {
  if (end.type !== 'finished') return end;
  // The client of the scripted server reads exact prices.
  const { usd: _, isEstimated: __, ...rest } = end;
  const parts = end.parts.map((part, at): Part => {
    const expected = answer?.parts[at];
    if (part.type === 'text' || !('providerState' in part)) return part;
    if (expected && 'state' in expected && expected.state !== undefined) return part;
    const { providerState: ___, ...others } = part;
    return others;
  });
  return { ...rest, parts };
}

function toCallIds(end: ModelEvent): string[] {
  return end.type === 'finished' ? end.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) : [];
}

test('there are cases of every wire', () => {
  expect(new Set(CASES.map(({ wire }) => wire))).toEqual(new Set(['chat', 'responses', 'messages']));
  expect(CASES.length).toBeGreaterThan(120);
});

describe.each(READ)('$name', (wireCase) => {
  const bytes = toPlainBytes(wireCase);

  test('is the answer', () => {
    const end = read(wireCase.wire, [bytes]).at(-1)!;
    expect(toCompared(end, wireCase)).toEqual(toExpected(wireCase));
    expect(new Set(toCallIds(end)).size).toBe(toCallIds(end).length);
  });

  test('is the same in every two chunks, and byte by byte', () => {
    const expected = toCanonical(read(wireCase.wire, [bytes]));
    for (let at = 1; at < bytes.length; at++) {
      const split = toCanonical(read(wireCase.wire, [bytes.subarray(0, at), bytes.subarray(at)]));
      if (split !== expected) expect(split, `split at ${at}`).toBe(expected);
    }
    expect(
      toCanonical(
        read(
          wireCase.wire,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ),
    ).toBe(expected);
  });

  test('with any value changed is an answer or a failure', () => {
    const ends = [...changeValues(wireCase.body)].map((body) => read(wireCase.wire, [Buffer.from(body)]).at(-1)!);
    expect(ends.filter((end) => !endSchema.safeParse(end).success)).toEqual([]);
  });
});

describe('over HTTP', () => {
  let served: WireCase;
  let length: number;
  const server = createServer((request, response) => {
    request.resume();
    void send(response);
  });

  async function send(response: ServerResponse): Promise<void> {
    const { headers, bytes } = toResponse(served);
    response.writeHead(served.status, headers);
    response.socket?.setNoDelay();
    for (let at = 0; at < bytes.length; at += length) {
      response.write(bytes.subarray(at, at + length));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  }

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  test.each(CASES)('$name', async (wireCase) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const models = createModels({ keys: {}, scripted: async () => ({ url, wire: NAMES[wireCase.wire] }) });
    const model = await models.resolve('scripted/test');
    for (length of [Infinity, 97]) {
      served = wireCase;
      const message = {
        id: 'M1',
        role: 'user' as const,
        origin: 'user' as const,
        parts: [{ type: 'text' as const, text: 'hi' }],
      };
      const request = { system: '', tools: [], messages: [message], maxOutputTokens: 100, session: 'S1' };
      const events = await Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
      const end = events.at(-1)!;
      expect(toCompared(end, wireCase)).toEqual(toExpected(wireCase, end));
      // What the reader does not find is estimated.
      if (end.type === 'finished') expect(end.usage.input).toBeGreaterThan(0);
    }
  });

  test.each(CASES.filter(({ answer }) => answer?.usage))('$name is not taken for a cut prompt', async (wireCase) => {
    const { wire, answer } = wireCase;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const notices: string[] = [];
    const own = { baseUrl: wire === 'messages' ? url : `${url}/v1`, wire };
    const models = createModels({ keys: {}, env: {}, servers: { own }, onNotice: (text) => notices.push(text) });
    const model = await models.resolve('own/m');
    served = wireCase;
    length = Infinity;
    const { input, cacheRead, cacheWrite } = answer!.usage!;
    // A text that has as many tokens as the server says.
    const text = 'some words '.repeat(Math.ceil(((input + cacheRead + cacheWrite) * 4) / 11));
    const message = {
      id: 'M1',
      role: 'user' as const,
      origin: 'user' as const,
      parts: [{ type: 'text' as const, text }],
    };
    const request = { system: '', tools: [], messages: [message], maxOutputTokens: 100, session: 'S1' };
    const events = await Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
    expect(events.at(-1)!.type).toBe('finished');
    expect(notices).toEqual([]);
  });
});
