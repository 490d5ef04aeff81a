import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { cost, NO_CHARGE, PartialAnswer, type Charge, type FailureDetails, type ModelInfo } from '@klaus/core/agent';
import type { EventOf, ModelFailureCode, Part, Reserved, Usage } from '@klaus/core/protocol';
import { createParser } from 'eventsource-parser';
import { createCallIds } from '../wire/call-ids.ts';
import { ConnectionLost, ProviderError } from '../wire/errors.ts';
import { toFailure } from '../wire/failure.ts';
import { withoutError } from '../wire/stream-answer.ts';
import { createUsageCheck, type SentRequest } from '../wire/usage-check.ts';
import type { Json, ProxyWire } from './proxy-wire.ts';

/** The end of a request as the log records it, with what the answer contains. */
export type ReadAnswer = Pick<
  EventOf<'model.attempted'>,
  'outcome' | 'status' | 'message' | 'usage' | 'usd' | 'held' | 'estimated' | keyof FailureDetails
> & {
  parts: readonly Part[];
};

interface ReadOptions {
  wire: ProxyWire;
  sent: SentRequest;
  info: ModelInfo;
  reserved: Reserved;
  /** `reserved` by cache class. */
  worst: Usage;
}

const DONE = '[DONE]';

/** Reads an answer that is passed on at the same time. Never throws for what a provider sends. */
export async function readAnswer(
  answer: IncomingMessage,
  { wire, sent, info, reserved, worst }: ReadOptions,
): Promise<ReadAnswer> {
  const status = answer.statusCode ?? 0;
  const isOk = status >= 200 && status < 300;
  const isStream = isOk && /event-stream/i.test(answer.headers['content-type'] ?? '');
  const decoder = new StringDecoder('utf8');
  const reader = wire.createReader({ toCallId: createCallIds([]) });
  const check = createUsageCheck(sent, info);
  let text = '';
  let failure: { error: unknown } | undefined;
  const partial = new PartialAnswer();
  const take = (event: unknown): void => {
    try {
      for (const piece of reader.take(withoutError(event))) partial.take(check(piece));
    } catch (error) {
      failure ??= { error };
    }
  };
  const takeDocument = (): void => {
    try {
      for (const event of wire.toEvents(withoutError(parse(text) ?? {}) as Json)) take(event);
    } catch (error) {
      failure ??= { error };
    }
  };
  const parser = createParser({ onEvent: ({ data }) => void (data !== DONE && take(parse(data))) });
  answer.on('data', (chunk: Buffer) => {
    const piece = decoder.write(chunk);
    if (isStream) parser.feed(piece);
    else text += piece;
  });
  // The provider or the program may end the connection before the answer is complete.
  await once(answer, 'close').catch((error: unknown) => void (failure ??= { error: new ConnectionLost(error) }));
  if (!isOk) return toFailed(new ProviderError({ status, body: parse(text) ?? text }), () => NO_CHARGE);
  if (isStream) parser.feed('\n\n');
  // The format of the part that arrived is unknown.
  else if (failure) partial.take({ type: 'text', text });
  else takeDocument();
  try {
    if (failure) throw failure.error;
    const end = check(reader.finish());
    if (end.type !== 'finished') throw new ProviderError({ body: undefined });
    return {
      outcome: 'ok',
      usage: end.usage,
      usd: end.usd ?? cost(info, end.usage),
      ...(end.isEstimated && { estimated: true }),
      parts: end.parts,
    };
  } catch (error) {
    return toFailed(error, (outcome) =>
      partial.toCharge({ info, reserved, worst, hidesWork: info.hidesReasoning === true, outcome }),
    );
  }
}

function toFailed(error: unknown, toCharge: (outcome: ModelFailureCode) => Charge): ReadAnswer {
  const failure = toFailure(error, Date.now());
  const { code = 'malformed' as const, retryAfterMs: _, ...details } = failure ?? { message: String(error) };
  return { outcome: code, ...details, ...toCharge(code), parts: [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
