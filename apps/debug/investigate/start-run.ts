import { inspect } from 'node:util';
import type { StatusMessage } from '../contract/index.ts';
import { createChannel } from './channel.ts';
import { KlendathuError } from './klendathu-error.ts';
import type { LogEvent, RunOptions, RunParts } from './options.ts';
import { toStats, type Stats } from './report.ts';

const DEFAULT_TIMEOUT_MS = 300_000;
/** The longest time of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What a run reports while it works. */
export interface RunControl {
  /** Aborted by `cancel()`, the caller's signal and the time-out, with a {@link KlendathuError} as its reason. */
  readonly signal: AbortSignal;
  /** Milliseconds until the time-out. */
  remainingMs(): number;
  readonly status: (message: StatusMessage) => void;
  readonly event: (event: LogEvent) => void;
}

export type Run<T> = Promise<T> & RunParts;

/**
 * Starts `work`. The promise rejects with a {@link KlendathuError} only, whose cause is `subject`, and at the time-out
 * at the latest; the other parts end when `work` has. No part is an unhandled rejection if the caller ignores it.
 */
export function startRun<T>(
  subject: unknown,
  options: Pick<RunOptions, 'signal' | 'timeoutMs'>,
  work: (control: RunControl) => Promise<T>,
): Run<T> {
  const stderr = createChannel<StatusMessage>();
  const events = createChannel<LogEvent>();
  let endSummary!: (stats: Stats) => void;
  const summary = new Promise<Stats>((resolve) => {
    endSummary = resolve;
  });
  const stop = new AbortController();
  const fail = (code: 'cancelled' | 'timeout', message: string) => {
    stop.abort(new KlendathuError(code, message, { cause: subject }));
  };
  const cancel = () => fail('cancelled', 'The run was cancelled.');
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const endsAt = performance.now() + timeoutMs;
  let stats: Stats | undefined;
  const control: RunControl = {
    signal: stop.signal,
    remainingMs: () => Math.max(1, Math.floor(endsAt - performance.now())),
    status(message) {
      if (message.type === 'summary') stats = toStats(message);
      stderr.push(message);
    },
    event: events.push,
  };
  const timer = setTimeout(
    () => fail('timeout', `There was no result after ${timeoutMs} ms.`),
    Math.min(Math.max(timeoutMs, 0), MAX_TIMEOUT_MS),
  );
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();

  const working = begin(work, control);
  const result = Promise.race([working, rejectOnAbort(stop.signal)]).catch((error: unknown) => {
    throw toKlendathuError(error, subject);
  });
  result.catch(() => {}).finally(() => clearTimeout(timer));
  const settle = (error?: unknown) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    stderr.end();
    events.end();
    endSummary(stats ?? toFailedStats(error));
  };
  working.then(() => settle(), settle);
  return Object.assign(result, { stderr: stderr.messages, events: events.messages, summary, cancel });
}

/** Begins in a later microtask, so that nothing runs for a run that was cancelled before. */
async function begin<T>(work: (control: RunControl) => Promise<T>, control: RunControl): Promise<T> {
  await Promise.resolve();
  control.signal.throwIfAborted();
  return work(control);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

function toFailedStats(error: unknown): Stats {
  const code = KlendathuError.isInstance(error) ? error.code : 'error';
  const finishReason = code === 'cancelled' || code === 'timeout' || code === 'limit' ? code : 'error';
  const warnings = error === undefined ? undefined : [describe(error)];
  return { turns: 0, cost: 0, finishReason: error === undefined ? 'completed' : finishReason, warnings };
}

/** The error as a {@link KlendathuError} whose cause is `subject`. */
function toKlendathuError(error: unknown, subject: unknown): KlendathuError {
  if (!KlendathuError.isInstance(error)) {
    return new KlendathuError('server', `The run failed: ${describe(error)}`, { cause: subject ?? error });
  }
  if (subject === undefined || error.cause === subject) return error;
  const { code, message, hint } = error;
  return new KlendathuError(code, message, { hint, cause: subject });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : inspect(error, { customInspect: false, getters: false });
}
