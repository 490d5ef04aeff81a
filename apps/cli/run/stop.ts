import { formatDuration } from '@klaus/sdk/transcript';
import type { Output } from '../output/output.ts';
import { onReaderGone } from '../output/streams.ts';
import { EXIT } from '../program/exit-codes.ts';
import type { RunResult } from './run-result.ts';

export interface StopOptions {
  output: Output;
  /** Printed at the first Ctrl-C: what a second one does. */
  message: string;
  /** Milliseconds until the run is cancelled. Default: no limit. */
  timeoutMs?: number | undefined;
  /**
   * Sends the cancellation. If it throws, the error is printed and the run continues.
   *
   * @param reason A sentence for the log.
   */
  send: (reason: string) => Promise<void>;
}

/** The cancellation of a run, which is sent once. */
export interface Stop extends Disposable {
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Undefined: not cancelled. */
  readonly reason: RunResult['stopped'];
  /** Does what Ctrl-C does: for the key at a question. */
  interrupt(): void;
  /** Resolves when the cancellation has been sent; at once if there is none. */
  sent(): Promise<void>;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Cancels a run on Ctrl-C and other signals, when its time is over, and when the reader of the output is gone. A second
 * signal exits at once with exit code 130; processes in a sandbox end with this process.
 */
export function createStop({ output, message, timeoutMs, send }: StopOptions): Stop {
  const controller = new AbortController();
  let reason: RunResult['stopped'];
  let isInterrupted = false;
  let sending = Promise.resolve();
  const request = (why: NonNullable<RunResult['stopped']>, sentence: string): void => {
    if (reason !== undefined) return;
    reason = why;
    sending = send(sentence).catch((error: unknown) => {
      output.note(`The run was not cancelled: ${error instanceof Error ? error.message : String(error)}`, 'warn');
    });
    controller.abort();
  };
  const interrupt = (signal?: NodeJS.Signals): void => {
    if (isInterrupted) process.exit(EXIT.interrupted);
    isInterrupted = true;
    output.note(message);
    const isKey = signal === undefined || signal === 'SIGINT';
    request('interrupt', isKey ? 'The user stopped the run with Ctrl-C.' : `The signal ${signal} stopped the run.`);
  };
  const late = (): void => {
    output.note('The time limit is reached. Cancelling.', 'warn');
    request('timeout', `The run was stopped after ${formatDuration(timeoutMs ?? 0)}, its time limit (--timeout).`);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const forgetReader = onReaderGone(() =>
    request('interrupt', 'The run was stopped: the reader of its output is gone.'),
  );
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    interrupt: () => interrupt(),
    sent: () => sending,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, interrupt);
      clearTimeout(timer);
      forgetReader();
    },
  };
}
