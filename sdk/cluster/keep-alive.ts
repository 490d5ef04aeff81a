/** Milliseconds, any number: the timer only keeps the process alive. */
const ALIVE_MS = 1_000;

/**
 * Keeps the process alive until it is disposed of. Idle connections to Postgres do not, so that a process could end while
 * they are closed, with an exit code of its own.
 */
export function keepAlive(): Disposable {
  const alive = setInterval(() => {}, ALIVE_MS);
  return { [Symbol.dispose]: () => clearInterval(alive) };
}
