/** A listener that throws must not prevent the delivery to the others: its error is thrown later, by itself. */
export function callListener(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    throwLater(error);
  }
}

export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
