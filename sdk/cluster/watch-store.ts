export interface StoreWatchOptions {
  /** Asks the store for anything. Rejects, or does not answer, while it cannot be reached. */
  ping: () => Promise<unknown>;
  /** Called once when the store has not answered for 4 s. */
  onSilent: () => void;
  /** Called when it answers again. */
  onAnswer: () => void;
}

/** Milliseconds between two questions. */
const EVERY_MS = 500;
/** Milliseconds without an answer. Shorter than a lease, so that the session is offered to others when it expires. */
const SILENT_MS = 4_000;
/** Questions without an answer at the same time: they take connections of the pool. */
const MAX_OPEN = 3;

/** Watches whether a store answers. Returns a function that stops it. */
export function watchStore({ ping, onSilent, onAnswer }: StoreWatchOptions): () => void {
  let answered = performance.now();
  let isSilent = false;
  let open = 0;
  const ask = async (): Promise<void> => {
    const asked = performance.now();
    open += 1;
    try {
      await ping();
      answered = Math.max(answered, asked);
    } catch {
      return;
    } finally {
      open -= 1;
    }
    if (isSilent && performance.now() - answered < SILENT_MS) {
      isSilent = false;
      onAnswer();
    }
  };
  // It keeps the process running: without the store and the scheduler nothing else may.
  const timer = setInterval(() => {
    if (open < MAX_OPEN) void ask();
    if (isSilent || performance.now() - answered < SILENT_MS) return;
    isSilent = true;
    onSilent();
  }, EVERY_MS);
  return () => clearInterval(timer);
}
