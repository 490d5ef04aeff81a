import { CliFailure } from './cli-failure.ts';

/** Milliseconds of a run without `timeoutMs` in its input. */
const TOTAL_MS = 600_000;

/** Aborted by a signal of the system or the total time-out, with a CliFailure as its reason. */
export interface Stop {
  readonly signal: AbortSignal;
  /** Starts the total time-out. */
  start(timeoutMs: number | undefined): void;
  close(): void;
}

/** @param onSecond Called at a second signal: the user does not wait for the end of the run. */
export function createStop(onSecond: () => void): Stop {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) onSecond();
    else controller.abort(new CliFailure('cancelled', `It was cancelled by ${name}.`));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, interrupt);
  return {
    signal: controller.signal,
    start(timeoutMs = TOTAL_MS) {
      const end = (): void =>
        controller.abort(new CliFailure('timeout', `The investigation took longer than ${timeoutMs} ms.`));
      timer = setTimeout(end, timeoutMs);
    },
    close() {
      clearTimeout(timer);
      for (const name of names) process.off(name, interrupt);
    },
  };
}
