/**
 * The message of an error, or the text of any other value that was thrown. Never throws: not for a message that is no
 * text, nor for a value that has no text.
 */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error;
    return typeof message === 'string' ? message : String(error);
  } catch {
    return 'an error without a message';
  }
}
