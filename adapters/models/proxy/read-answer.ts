import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import {
  cost,
  NO_CHARGE,
  PartialAnswer,
  type Charge,
  type FailureDetails,
  type ModelEvent,
  type ModelInfo,
} from '@klaus/core/agent';
import type { EventOf, ModelFailureCode, Part, Reserved, Usage } from '@klaus/core/protocol';
import { createAnswerFeed } from '../wire/answer-feed.ts';
import { createCallIds } from '../wire/call-ids.ts';
import { decodeBody } from '../wire/decode-body.ts';
import { ProviderError, toBodyError } from '../failure/errors.ts';
import { toFailure } from '../failure/failure.ts';
import { createUsageCheck, type SentRequest } from '../wire/usage-check.ts';
import type { ProxyWire } from './proxy-wire.ts';

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

/** Reads an answer that is passed on at the same time. Never throws for what a provider sends. */
export async function readAnswer(
  answer: IncomingMessage,
  { wire, sent, info, reserved, worst }: ReadOptions,
): Promise<ReadAnswer> {
  const status = answer.statusCode ?? 0;
  const isOk = status >= 200 && status < 300;
  const reader = wire.createReader({ toCallId: createCallIds([]) });
  const check = createUsageCheck(sent, info);
  const feed = createAnswerFeed(reader);
  const chunks: Buffer[] = [];
  let failure: { error: unknown } | undefined;
  const partial = new PartialAnswer();
  const take = (next: () => Iterable<ModelEvent>): void => {
    if (failure) return;
    try {
      for (const event of next()) partial.take(check(event));
    } catch (error) {
      failure = { error };
    }
  };
  try {
    for await (const chunk of decodeBody(toCopy(answer), answer.headers) as AsyncIterable<Buffer>) {
      if (isOk) take(() => feed.feed(chunk));
      else chunks.push(chunk);
    }
  } catch (error) {
    // The provider or the program may end the connection before the answer is complete.
    failure ??= { error: toBodyError(error) };
  }
  if (!isOk) return toFailed(new ProviderError({ status, body: toBody(Buffer.concat(chunks)) }), () => NO_CHARGE);
  // The format of the part that arrived is unknown.
  if (failure) partial.take({ type: 'text', text: feed.unread });
  let end: ModelEvent | undefined;
  take(function* () {
    for (const event of feed.end()) {
      if (event.type === 'finished') end = check(event);
      else yield event;
    }
  });
  if (end?.type === 'finished') {
    const { usage, usd = cost(info, usage), isEstimated, parts } = end;
    return { outcome: 'ok', usage, usd, ...(isEstimated && { estimated: true }), parts };
  }
  return toFailed(failure?.error ?? new ProviderError({ body: undefined }), (outcome) =>
    partial.toCharge({ info, reserved, worst, hidesWork: info.hidesReasoning === true, outcome }),
  );
}

/** A stream of its own, so that an error in reading does not end what is passed on. */
function toCopy(answer: IncomingMessage): PassThrough {
  const copy = answer.pipe(new PassThrough());
  answer.on('error', (error) => copy.destroy(error));
  answer.on('close', () => void (answer.complete || copy.destroy(new Error('The connection was closed.'))));
  return copy;
}

function toFailed(error: unknown, toCharge: (outcome: ModelFailureCode) => Charge): ReadAnswer {
  const failure = toFailure(error, Date.now());
  const { code = 'malformed' as const, retryAfterMs: _, ...details } = failure ?? { message: String(error) };
  return { outcome: code, ...details, ...toCharge(code), parts: [] };
}

function toBody(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
