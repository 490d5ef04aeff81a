import { formatDuration } from '@klaus/sdk/transcript';
import { messageOf } from '@klaus/sdk/message-of';
import type { Output } from '../output/output.ts';
import { onReaderGone } from '../output/streams.ts';
import { EXIT } from '../program/exit-codes.ts';

export interface StopOptions {
  output: Output;
  /** Printed at the first Ctrl-C: what a second one does. */
  message: string;
  /** Milliseconds until the run is cancelled. Default: no limit. */
  timeoutMs?: number;
  /**
   * Sends the cancellation. If it throws, the error is printed and the run continues.
   *
   * @param reason A sentence for the log.
   */
  send: (reason: string) => Promise<void>;
}

/** Why this process cancelled a run. */
export type StopReason = 'interrupt' | 'timeout';

export type Stop = ReturnType<typeof createStop>;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Cancels a run once: on Ctrl-C and other signals, when its time is over, and when the reader of the output is gone. A
 * second signal exits at once with exit code 130; processes in a sandbox end with this process.
 */
export function createStop({ output, message, timeoutMs, send }: StopOptions) {
  const controller = new AbortController();
  let reason: StopReason | undefined;
  let isInterrupted = false;
  let sending = Promise.resolve();
  const request = (why: StopReason, sentence: string): void => {
    if (reason !== undefined) return;
    reason = why;
    sending = send(sentence).catch((error: unknown) => {
      output.note(`The run was not cancelled: ${messageOf(error)}`, 'warn');
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
  const forgetSignals = onSignal(interrupt);
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const forgetReader = onReaderGone(() =>
    request('interrupt', 'The run was stopped: the reader of its output is gone.'),
  );
  return {
    /** Aborted when the run is cancelled. */
    signal: controller.signal as AbortSignal,
    /** Undefined: not cancelled. */
    get reason() {
      return reason;
    },
    /** Does what Ctrl-C does: for the key at a question. */
    interrupt: () => interrupt(),
    /** Resolves when the cancellation has been sent; at once if there is none. */
    sent: () => sending,
    [Symbol.dispose]() {
      forgetSignals();
      clearTimeout(timer);
      forgetReader();
    },
  };
}

/** The runs of this process, of which there can be more than the process may have listeners. */
const stoppable = new Set<(signal: NodeJS.Signals) => void>();

function stopAll(signal: NodeJS.Signals): void {
  for (const interrupt of stoppable) interrupt(signal);
}

function onSignal(interrupt: (signal: NodeJS.Signals) => void): () => void {
  if (stoppable.size === 0) for (const signal of SIGNALS) process.on(signal, stopAll);
  stoppable.add(interrupt);
  return () => {
    stoppable.delete(interrupt);
    if (stoppable.size === 0) for (const signal of SIGNALS) process.off(signal, stopAll);
  };
}
