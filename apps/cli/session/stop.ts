import { formatDuration } from '@klaus/sdk/transcript';
import type { RunResult } from './run-result.ts';
import { EXIT } from '../program/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { onReaderGone } from '../output/streams.ts';

export interface StopOptions {
  output: Output;
  /** Said at the first Ctrl-C: what a second one does. */
  words: string;
  /** Milliseconds until the run is stopped. Default: no end. */
  timeoutMs?: number | undefined;
  /**
   * Puts the wish where it is carried out. Resolves when it is there; what it throws is said, and the run goes on.
   *
   * @param sentence Who stops the run and why, for its log.
   */
  send: (sentence: string) => Promise<void>;
}

/** The wish to end a run: sent once, whoever has it first. */
export interface Stop extends Disposable {
  /** Aborted with the wish. */
  readonly signal: AbortSignal;
  /** Undefined while there is none. */
  readonly reason: RunResult['stopped'];
  /** The same as Ctrl-C: for the key while a question is on the screen. */
  interrupt(): void;
  /** Resolves when the wish has been sent; at once where there is none. */
  sent(): Promise<void>;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Watches for what ends a run from this terminal: Ctrl-C and other signals, the end of its time, a reader of the
 * output that is gone. The first signal asks for the end, the second leaves at once with exit code 130; what the run
 * started in a sandbox ends with this process.
 */
export function createStop({ output, words, timeoutMs, send }: StopOptions): Stop {
  const controller = new AbortController();
  let reason: RunResult['stopped'];
  let isInterrupted = false;
  let sending = Promise.resolve();
  const request = (why: NonNullable<RunResult['stopped']>, sentence: string): void => {
    if (reason !== undefined) return;
    reason = why;
    sending = send(sentence).catch((error: unknown) => {
      output.note(
        `The wish to stop did not get through: ${error instanceof Error ? error.message : String(error)}`,
        'warn',
      );
    });
    controller.abort();
  };
  const interrupt = (signal?: NodeJS.Signals): void => {
    if (isInterrupted) process.exit(EXIT.interrupted);
    isInterrupted = true;
    output.note(words);
    const isKey = signal === undefined || signal === 'SIGINT';
    request('interrupt', isKey ? 'The user stopped the run with Ctrl-C.' : `The signal ${signal} stopped the run.`);
  };
  const late = (): void => {
    output.note('The time is up. Cancelling.', 'warn');
    request('timeout', `The run was stopped after ${formatDuration(timeoutMs ?? 0)}, its time limit (--timeout).`);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const forgetReader = onReaderGone(() =>
    request('interrupt', 'The run was stopped: nobody read its output any more.'),
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
