import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { cost, type ModelInfo } from '@klaus/core/agent';
import { NO_USAGE, type EventOf, type Part, type Usage } from '@klaus/core/protocol';
import { createParser } from 'eventsource-parser';
import { createCallIds } from '../wire/call-ids.ts';
import { ConnectionLost, ProviderError } from '../wire/errors.ts';
import { toFailure } from '../wire/failure.ts';
import type { Json, ProxyWire } from './proxy-wire.ts';

/** The end of a request as the log records it, with what the answer contains. */
export type ReadAnswer = Pick<EventOf<'model.attempted'>, 'outcome' | 'status' | 'message' | 'usage' | 'usd'> & {
  parts: readonly Part[];
};

interface ReadOptions {
  wire: ProxyWire;
  promptBytes: number;
  info: ModelInfo;
  /** What is charged for an answer that breaks off. */
  worst: Usage;
}

const DONE = '[DONE]';

/** Reads an answer that is passed on at the same time. Never throws for what a provider sends. */
export async function readAnswer(
  answer: IncomingMessage,
  { wire, promptBytes, info, worst }: ReadOptions,
): Promise<ReadAnswer> {
  const status = answer.statusCode ?? 0;
  const isOk = status >= 200 && status < 300;
  const isStream = isOk && /event-stream/i.test(answer.headers['content-type'] ?? '');
  const decoder = new StringDecoder('utf8');
  const reader = wire.createReader({ toCallId: createCallIds([]), promptBytes });
  let text = '';
  let failure: { error: unknown } | undefined;
  let received = 0;
  const take = (event: unknown): void => {
    try {
      // What streams is not needed: the parts are read at the end.
      for (const _ of reader.take(event)) continue;
    } catch (error) {
      failure ??= { error };
    }
  };
  const parser = createParser({ onEvent: ({ data }) => void (data !== DONE && take(parse(data))) });
  answer.on('data', (chunk: Buffer) => {
    received += chunk.length;
    const piece = decoder.write(chunk);
    if (isStream) parser.feed(piece);
    else text += piece;
  });
  // The provider or the program may end the connection before the answer is complete.
  await once(answer, 'close').catch((error: unknown) => void (failure ??= { error: new ConnectionLost(error) }));
  if (!isOk) return toFailed(new ProviderError({ status, body: parse(text) ?? text }), { usage: NO_USAGE, usd: 0 });
  if (isStream) parser.feed('\n\n');
  else for (const event of wire.toEvents((parse(text) ?? {}) as Json)) take(event);
  try {
    if (failure) throw failure.error;
    const end = reader.finish();
    if (end.type !== 'finished') throw new ProviderError({ body: undefined });
    return { outcome: 'ok', usage: end.usage, usd: end.usd ?? cost(info, end.usage), parts: end.parts };
  } catch (error) {
    // The provider charges what it has generated: at most a token for each received byte.
    const usage = { ...worst, output: Math.min(worst.output, received) };
    return toFailed(error, { usage, usd: cost(info, usage) });
  }
}

function toFailed(error: unknown, charged: { usage: Usage; usd: number | null }): ReadAnswer {
  const failure = toFailure(error, Date.now());
  const { code = 'malformed' as const, message = String(error), status } = failure ?? {};
  return { outcome: code, message, status, ...charged, parts: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
