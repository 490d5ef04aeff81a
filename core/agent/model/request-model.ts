import { isRetryable, toCountedTokens, type EventBody, type Reserved, type Usage } from '../../protocol/index.ts';
import { cost } from '../budget/cost.ts';
import { addReserved } from '../budget/ledger.ts';
import { leavesRoom } from '../budget/limit-check.ts';
import { NO_CHARGE, PartialAnswer, type Charge } from '../budget/partial-answer.ts';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../ports/model.ts';
import { openRequestOf, runIdOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

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
  for (let attempt = 1; ; attempt++) {
    const head = { run: runIdOf(work.state), purpose, turn: work.state.turn, model: model.name, attempt };
    if (!openRequestOf(work.state)) await work.append([{ type: 'model.requested', ...head, requestHash, reserved }]);
    const refused = await work.engine.admit?.(work.session, reserved);
    const outcome: AttemptOutcome = refused
      ? { failure: refused, charge: NO_CHARGE }
      : await attemptOnce(work, options, attempt);
    const base = { type: 'model.attempted' as const, ...head };
    if (outcome.answer) {
      const { usage, usd } = outcome.answer;
      const attempted: Attempted = { ...base, outcome: 'ok', usage, usd: usd ?? cost(model.info, usage) };
      return { ok: true, answer: outcome.answer, attempted };
    }
    const { failure, charge } = outcome;
    if (work.stop.aborted) {
      return { ok: false, failure: 'cancelled', attempted: { ...base, outcome: 'cancelled', ...charge } };
    }
    options.onDiscard?.(attempt);
    // The charge for the failed attempt may leave too little for another one.
    const hasRoom = leavesRoom(work.state, toLost(charge), reserved);
    const again =
      hasRoom && isRetryable(failure.code) ? work.activities.planRetry(work, { purpose, attempt, failure }) : undefined;
    const planned =
      purpose === 'turn' && hasRoom && !again
        ? await work.activities.planFallback(work, { model, failure })
        : undefined;
    const attempted: Attempted = {
      ...base,
      outcome: failure.code,
      status: failure.status,
      message: hasRoom ? failure.message : `${failure.message}; the limits leave no room for another attempt`,
      cause: failure.cause,
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
  const { clock, settings } = work.engine;
  const { idleMs } = settings.retry;
  const { model, purpose, reserved, worst } = options;
  const partial = new PartialAnswer();
  // The searches of a provider are not streamed either.
  const hidesWork = model.info.hidesReasoning === true || purpose === 'search';
  const toCharge = (): Charge =>
    began ? partial.toCharge({ info: model.info, reserved, worst, hidesWork }) : NO_CHARGE;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  work.stop.addEventListener('abort', abort, { once: true });
  if (work.stop.aborted) abort();
  let lastByte = clock.now();
  let idle = false;
  let began = false;
  const onBytes = (): void => {
    lastByte = clock.now();
    began = true;
  };
  const unwatch = clock.every(Math.max(10, Math.min(1_000, idleMs / 4)), () => {
    if (clock.now() - lastByte < idleMs) return;
    idle = true;
    abort();
  });
  let isUnderWay = true;
  // The answer may arrive before the request is sent completely.
  const onSent = (): void => void (isUnderWay && !controller.signal.aborted && options.onSent?.());
  try {
    for await (const event of model.stream(options.request, { signal: controller.signal, onSent, onBytes })) {
      if (event.type === 'finished') return { answer: event, failure: NO_FAILURE, charge: NO_CHARGE };
      if (event.type === 'failed')
        return {
          failure: idle ? toIdle(idleMs) : event.failure,
          charge: isRefusal(event.failure) ? NO_CHARGE : toCharge(),
        };
      partial.take(event);
      options.onEvent?.(event, attempt);
    }
    const failure = idle ? toIdle(idleMs) : { code: 'connection' as const, message: 'the stream ended early' };
    return { failure, charge: toCharge() };
  } finally {
    isUnderWay = false;
    unwatch();
    work.stop.removeEventListener('abort', abort);
  }
}

const NO_FAILURE: ModelFailure = { code: 'connection', message: '' };

/** What a failed attempt takes from the limits. */
function toLost({ usage, usd, held }: Charge): Reserved {
  return addReserved(held, { tokens: toCountedTokens(usage), usd });
}

function toIdle(idleMs: number): ModelFailure {
  return { code: 'idle', message: `no byte for ${Math.round(idleMs / 1_000)} s` };
}

/** True for an HTTP error status: the provider refused the request and charges nothing. */
function isRefusal(failure: ModelFailure): boolean {
  return failure.status !== undefined && failure.status >= 400;
}
