/** The result of a function; undefined if it throws, for example because a file does not exist. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
