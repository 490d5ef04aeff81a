const listeners = new Set<() => void>();
let failure: Error | undefined;

/** Why standard output cannot be written, such as a full disk; undefined if its reader has closed it. */
export function outputFailure(): Error | undefined {
  return failure;
}

/** True for the error of a write to a pipe whose reader is gone, as in `klaus sessions | head`. */
export function isEndOfPipe(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/**
 * Handles a reader that goes away. A listing ends; a run that writes its events registers with {@link onReaderGone}
 * and stops.
 */
export function watchStreams(): void {
  process.stdout.on('error', (error) => {
    // The run ends cleanly in any case: the log is complete, only the output here is not.
    if (!isEndOfPipe(error)) failure ??= error;
    for (const listener of listeners) listener();
  });
  // A closed terminal answers with EIO, and no message can be shown.
  process.stderr.on('error', () => {});
}

/** Calls `listener` when standard output has no reader any more. */
export function onReaderGone(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
