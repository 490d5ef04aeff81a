/** Bytes that a body's memory is a multiple of. */
const STEP = 65_536;

/**
 * Parts of a request body as one. Memory is taken in steps: the next body, which is a little longer, then fits where
 * an old one was. To the byte it would need a new place each time, and the old places would stay with the process.
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.allocUnsafeSlow(Math.ceil(length / STEP) * STEP);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.subarray(0, length);
}
