let broken: (() => void) | undefined;
let failure: Error | undefined;

/** Why standard output took no more, where that was no reader's choice: a full disk, above all. */
export function outputFailure(): Error | undefined {
  return failure;
}

/** True for the error of writing to a pipe whose reader has gone, as in `klaus sessions | head`. */
export function isEndOfPipe(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/**
 * Makes a reader that goes away an ordinary thing. A listing simply ends; a run that writes its events
 * registers with {@link onReaderGone} and stops.
 */
export function watchStreams(): void {
  process.stdout.on('error', (error) => {
    // Whatever it is, the run ends cleanly: what is in the log is whole, and only its copy here is not.
    if (!isEndOfPipe(error)) failure ??= error;
    broken?.();
  });
  // A terminal that was closed cannot be told anything; EIO is what it answers.
  process.stderr.on('error', () => {});
}

/** Calls `listener` once nobody reads standard output any more. One listener at a time. */
export function onReaderGone(listener: () => void): () => void {
  broken = listener;
  return () => {
    if (broken === listener) broken = undefined;
  };
}
