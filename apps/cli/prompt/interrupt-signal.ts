/** A signal that aborts on Ctrl-C and SIGTERM, until it is disposed. */
export function createInterruptSignal(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}
