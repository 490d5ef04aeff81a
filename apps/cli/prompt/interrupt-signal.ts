/** A signal that aborts on Ctrl-C and SIGTERM, or other signals, until it is disposed. */
export function createInterruptSignal(
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const name of signals) process.once(name, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, abort);
    },
  };
}
