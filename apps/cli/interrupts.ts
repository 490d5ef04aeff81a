import { EXIT } from './exit-codes.ts';

/** Ctrl-C and SIGTERM while a run is under way. */
export interface Interrupts {
  /** True once a person or the system asked to stop. */
  readonly requested: boolean;
  /** The same as a signal would do: for Ctrl-C as a key while a question is on the screen. */
  request(): void;
  [Symbol.dispose](): void;
}

/**
 * The first signal calls `cancel` with its name (without one for a key), which ends the run cleanly; the second leaves at once with exit code 130.
 * What the run started in a sandbox ends with this process.
 */
export function watchInterrupts(cancel: (signal?: NodeJS.Signals) => void): Interrupts {
  let requested = false;
  const request = (signal?: NodeJS.Signals) => {
    if (requested) process.exit(EXIT.interrupted);
    requested = true;
    cancel(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, request);
  return {
    get requested() {
      return requested;
    },
    request: () => request(),
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, request);
    },
  };
}
