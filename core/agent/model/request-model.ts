import { isRetryable, toCountedTokens, type EventBody, type Reserved, type Usage } from '../../protocol/index.ts';
import { cost } from '../budget/cost.ts';
import { addReserved } from '../budget/ledger.ts';
import { leavesRoom } from '../budget/limit-check.ts';
import { NO_CHARGE, PartialAnswer, type Charge } from '../budget/partial-answer.ts';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../ports/model.ts';
import { openRequestOf, runIdOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { toMessage } from './attempt-message.ts';
import { cutBody } from './cut-body.ts';
import { createSilenceWatch } from './silence-watch.ts';
import { toOverflow } from './overflow.ts';

type Attempted = Extract<EventBody, { type: 'model.attempted' }>;
type Finished = Extract<ModelEvent, { type: 'finished' }>;

export interface RequestOptions {
  purpose: Attempted['purpose'];
  model: Model;
  request: ModelRequest;
  requestHash: string;
  /** Reserved for each attempt before it is sent. */
  reserved: Reserved;
  /** `reserved` by cache class. */
  worst: Usage;
  /** Called when the request is sent and the answer is pending. */
  onSent?: () => void;
  onEvent?: (event: ModelEvent, attempt: number) => void;
  /** Called when an attempt failed and its in-flight text is discarded. */
  onDiscard?: (attempt: number) => void;
}

export type RequestResult =
  | { ok: true; answer: Finished; attempted: Attempted }
  /** The event of the last attempt is returned so that the caller appends it in its own transaction. */
  | { ok: false; failure: ModelFailure | 'cancelled'; attempted: Attempted; notices?: readonly EventBody[] };

/**
 * Sends a request, and retries it while the failure may pass and the settings allow it. This is the only place with
 * retries. Every attempt is reserved in the log before it is sent; the caller may already have reserved the first one.
 * Every failed attempt is appended before the wait for the next one.
 */
export async function requestModel(work: Work, options: RequestOptions): Promise<RequestResult> {
  const { model, purpose, requestHash, reserved } = options;
  let { request } = options;
  let isShortened = false;
  for (let attempt = 1; ; attempt++) {
    const head = { run: runIdOf(work.state), purpose, turn: work.state.turn, model: model.name, attempt };
    if (!openRequestOf(work.state)) await work.append([{ type: 'model.requested', ...head, requestHash, reserved }]);
    const refused = await work.engine.admit?.(work.session, reserved);
    const outcome: AttemptOutcome = refused
      ? { failure: refused, charge: NO_CHARGE }
      : await attemptOnce(work, { ...options, request }, attempt);
    const base = { type: 'model.attempted' as const, ...head };
    if (outcome.answer) {
      const { usage, usd, isEstimated } = outcome.answer;
      const charge = { usage, usd: usd ?? cost(model.info, usage), ...(isEstimated && { estimated: true }) };
      const attempted: Attempted = { ...base, outcome: 'ok', ...charge };
      return { ok: true, answer: outcome.answer, attempted };
    }
    const { charge } = outcome;
    const failure = toOverflow(outcome.failure, { work, model, promptTokens: countPrompt(options.worst) });
    if (work.stop.aborted) {
      return { ok: false, failure: 'cancelled', attempted: { ...base, outcome: 'cancelled', ...charge } };
    }
    options.onDiscard?.(attempt);
    // The charge for the failed attempt may leave too little for another one.
    const hasRoom = leavesRoom(work.state, toLost(charge), reserved);
    // An answer of another length is another request, which is made once.
    const { maxAnswerTokens = Infinity } = failure;
    const isTooLong = !isShortened && maxAnswerTokens < request.maxOutputTokens;
    const again =
      hasRoom && (isTooLong || isRetryable(failure.code))
        ? work.activities.planRetry(work, { purpose, attempt, failure, isShortened: isTooLong })
        : undefined;
    const planned =
      purpose === 'turn' && hasRoom && !again
        ? await work.activities.planFallback(work, { model, failure })
        : undefined;
    if (isTooLong) {
      request = { ...request, maxOutputTokens: maxAnswerTokens };
      isShortened = true;
    }
    const attempted: Attempted = {
      ...base,
      outcome: failure.code,
      status: failure.status,
      message: toMessage(failure, { hasRoom, isFinal: !again }),
      cause: failure.cause,
      body: cutBody(work, failure.body),
      sizes: failure.sizes && { ...failure.sizes, server: failure.sizes.server ?? model.server },
      maxAnswerTokens: failure.maxAnswerTokens,
      fallback: planned?.fallback,
      retryInMs: again?.delay,
      waitUntil: again?.waitUntil,
      ...charge,
    };
    if (!again) return { ok: false, failure, attempted, notices: planned?.notices };
    await work.append([attempted]);
    await work.engine.clock.sleep(again.delay, work.stop);
    if (work.stop.aborted) {
      const cancelled: Attempted = { ...base, attempt: attempt + 1, outcome: 'cancelled', ...NO_CHARGE };
      return { ok: false, failure: 'cancelled', attempted: cancelled };
    }
  }
}

interface AttemptOutcome {
  answer?: Finished;
  failure: ModelFailure;
  /** Of a failed attempt. */
  charge: Charge;
}

async function attemptOnce(work: Work, options: RequestOptions, attempt: number): Promise<AttemptOutcome> {
  const { model, purpose, reserved, worst } = options;
  const partial = new PartialAnswer();
  // The searches of a provider are not streamed either.
  const hidesWork = model.info.hidesReasoning === true || purpose === 'search';
  const toCharge = ({ code }: ModelFailure): Charge => {
    const outcome = work.stop.aborted ? 'cancelled' : code;
    const { began } = watch;
    return began ? partial.toCharge({ info: model.info, reserved, worst, hidesWork, outcome }) : NO_CHARGE;
  };
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  work.stop.addEventListener('abort', abort, { once: true });
  if (work.stop.aborted) abort();
  const watch = createSilenceWatch(work.engine, { isLocal: model.isLocal, onSilence: abort });
  let isUnderWay = true;
  // The answer may arrive before the request is sent completely.
  const onSent = (): void => void (isUnderWay && !controller.signal.aborted && options.onSent?.());
  const stream = { signal: controller.signal, onSent, onBytes: () => watch.takeBytes() };
  try {
    for await (const event of model.stream(options.request, stream)) {
      if (event.type === 'finished') return { answer: event, failure: NO_FAILURE, charge: NO_CHARGE };
      if (event.type === 'failed') {
        const failure = watch.silence ?? event.failure;
        return { failure, charge: isRefusal(event.failure) ? NO_CHARGE : toCharge(failure) };
      }
      if (event.type !== 'usage') watch.takeToken();
      partial.take(event);
      options.onEvent?.(event, attempt);
    }
    const failure = watch.silence ?? { code: 'connection' as const, message: 'the stream ended early' };
    return { failure, charge: toCharge(failure) };
  } finally {
    isUnderWay = false;
    watch.close();
    work.stop.removeEventListener('abort', abort);
  }
}

function countPrompt({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

const NO_FAILURE: ModelFailure = { code: 'connection', message: '' };

/** What a failed attempt takes from the limits. */
function toLost({ usage, usd, held }: Charge): Reserved {
  return addReserved(held, { tokens: toCountedTokens(usage), usd });
}

/** True for an HTTP error status: the provider refused the request and charges nothing. */
function isRefusal(failure: ModelFailure): boolean {
  return failure.status !== undefined && failure.status >= 400;
}
