import { optional, isRetryable, NO_USAGE, type EventBody, type Reserved, type Usage } from '../../protocol/index.ts';
import { cost } from '../budget/cost.ts';
import { leavesRoom } from '../budget/limit-check.ts';
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
  /** Set aside for each attempt before it is sent, and charged when nobody knows what a broken one used. */
  reserved: Reserved;
  /** `reserved` by cache class. */
  worst: Usage;
  /** The request is on its way, and the answer will take its time. */
  onSent?: () => void;
  /** Each piece as it comes. */
  onEvent?: (event: ModelEvent, attempt: number) => void;
  /** The attempt failed and what was shown of it does not count. */
  onDiscard?: (attempt: number) => void;
}

export type RequestResult =
  | { ok: true; answer: Finished; attempted: Attempted }
  /** The last attempt's event is returned, not appended, so that the caller adds it to its own transaction. */
  | { ok: false; failure: ModelFailure | 'cancelled'; attempted: Attempted };

/**
 * Sends one request, and again as often as the settings say while the failure may pass. This is the only
 * place where anything is retried. Every attempt is reserved in the log before it is sent, unless the caller has done
 * so for the first, and every failed one is in the log before the wait for the next begins.
 */
export async function requestModel(work: Work, options: RequestOptions): Promise<RequestResult> {
  const { model, purpose, requestHash, reserved } = options;
  for (let attempt = 1; ; attempt++) {
    if (!openRequestOf(work.state)) {
      const head = { run: runIdOf(work.state), purpose, turn: work.state.turn, model: model.name, attempt };
      await work.append([{ type: 'model.requested', ...head, requestHash, reserved }]);
    }
    const outcome = await attemptOnce(work, options, attempt);
    const base = {
      type: 'model.attempted' as const,
      run: runIdOf(work.state),
      purpose,
      turn: work.state.turn,
      model: model.name,
      attempt,
    };
    if (outcome.answer) {
      const { usage, usd } = outcome.answer;
      const attempted: Attempted = { ...base, outcome: 'ok', usage, usd: usd ?? cost(model.info, usage) };
      return { ok: true, answer: outcome.answer, attempted };
    }
    const lost = outcome.began ? reserved : NOTHING;
    const charged = { usage: outcome.began ? options.worst : NO_USAGE, usd: lost.usd };
    if (work.stop.aborted) {
      return { ok: false, failure: 'cancelled', attempted: { ...base, outcome: 'cancelled', ...charged } };
    }
    const { failure } = outcome;
    options.onDiscard?.(attempt);
    // What the broken request is charged may have been the room for another.
    const hasRoom = leavesRoom(work.state, lost, reserved);
    const again =
      hasRoom && isRetryable(failure.code) ? work.activities.planRetry(work, { purpose, attempt, failure }) : undefined;
    const attempted: Attempted = {
      ...base,
      outcome: failure.code,
      ...optional({ status: failure.status }),
      message: hasRoom ? failure.message : `${failure.message}; the limits leave no room for another attempt`,
      ...(again ? { retryInMs: again.delay } : {}),
      ...optional({ waitUntil: again?.waitUntil }),
      ...charged,
    };
    if (!again) return { ok: false, failure, attempted };
    await work.append([attempted]);
    await work.engine.clock.sleep(again.delay, work.stop);
    if (work.stop.aborted) {
      const cancelled: Attempted = { ...base, attempt: attempt + 1, outcome: 'cancelled', usage: NO_USAGE, usd: 0 };
      return { ok: false, failure: 'cancelled', attempted: cancelled };
    }
  }
}

interface AttemptOutcome {
  answer?: Finished;
  failure: ModelFailure;
  /** True once the provider may have begun to count. */
  began: boolean;
}

async function attemptOnce(work: Work, options: RequestOptions, attempt: number): Promise<AttemptOutcome> {
  const { clock, settings } = work.engine;
  const { idleMs } = settings.retry;
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
  // An answer may come, and the attempt end, before the request is whole.
  const onSent = (): void => void (isUnderWay && !controller.signal.aborted && options.onSent?.());
  try {
    for await (const event of options.model.stream(options.request, { signal: controller.signal, onSent, onBytes })) {
      if (event.type === 'finished') return { answer: event, failure: NO_FAILURE, began: true };
      if (event.type === 'failed')
        return { failure: idle ? toIdle(idleMs) : event.failure, began: began && !isRefusal(event.failure) };
      options.onEvent?.(event, attempt);
    }
    return { failure: idle ? toIdle(idleMs) : { code: 'connection', message: 'the stream ended early' }, began };
  } finally {
    isUnderWay = false;
    unwatch();
    work.stop.removeEventListener('abort', abort);
  }
}

const NOTHING: Reserved = { tokens: 0, usd: 0 };
const NO_FAILURE: ModelFailure = { code: 'connection', message: '' };

function toIdle(idleMs: number): ModelFailure {
  return { code: 'idle', message: `no byte for ${Math.round(idleMs / 1_000)} s` };
}

/** An HTTP error status: the provider refused before it began to count. */
function isRefusal(failure: ModelFailure): boolean {
  return failure.status !== undefined && failure.status >= 400;
}
