import type { BlobRef } from '../../protocol/index.ts';
import type { Redactor } from '../../policy/index.ts';
import type { BlobWriter } from '../ports/store.ts';

/** Bytes that are searched together. */
const WINDOW = 128 * 1_024;

/** Maximum characters that are buffered while a secret may be incomplete. */
const LONGEST_HELD = 64 * 1_024;

/** Characters at the end of the buffer that may be the beginning of a secret, also of a wrapped one. */
const SEAM = 4_096;

/** Maximum bytes of an output, so that a command cannot fill the disk. */
const LONGEST_BLOB = 256 * 1_024 * 1_024;

const NEWLINE = 10;

/**
 * A blob writer that redacts secrets, also those that are split over two chunks. A private key is buffered until its last
 * line. Bytes without secrets are passed on unchanged and are not decoded.
 */
export function createRedactedBlob(
  writer: BlobWriter,
  redactor: Redactor,
): { write(chunk: Uint8Array): void; finish(): Promise<BlobRef>; abort(): void } {
  const encoder = new TextEncoder();
  const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let held = new Uint8Array(WINDOW);
  let used = 0;
  let length = 0;

  const hold = (bytes: Uint8Array): void => {
    if (used + bytes.length > held.length) {
      const larger = new Uint8Array(used + bytes.length);
      larger.set(held.subarray(0, used));
      held = larger;
    }
    held.set(bytes, used);
    used += bytes.length;
  };

  /** Passes on text that cannot be part of a secret: up to the last line that ends well before the end. */
  const pass = (): void => {
    const bytes = held.subarray(0, used);
    if (redactor.holds(bytes)) {
      const end = toCharacterEnd(bytes);
      const rest = passText(decode(bytes.subarray(0, end)));
      const cut = bytes.slice(end);
      used = 0;
      hold(encoder.encode(rest));
      hold(cut);
      return;
    }
    const longest = used - SEAM;
    const line = bytes.lastIndexOf(NEWLINE, longest - 1) + 1;
    const seam = line > 0 ? line : toCharacterEnd(bytes.subarray(0, longest));
    writer.write(bytes.subarray(0, seam));
    held.copyWithin(0, seam, used);
    used -= seam;
  };

  /** @returns The rest that must be buffered. */
  const passText = (text: string): string => {
    let rest = text;
    const key = rest.lastIndexOf('-----BEGIN ');
    if (key >= 0 && !/-----END [^\n]*\n/.test(rest.slice(key))) {
      if (key > 0) writer.write(encoder.encode(redactor.redact(rest.slice(0, key))));
      rest = rest.slice(key);
      if (rest.length < LONGEST_HELD) return rest;
    }
    const longest = rest.length - SEAM;
    if (longest <= 0) return rest;
    const line = rest.lastIndexOf('\n', longest - 1) + 1;
    const head = redactor.redactHead(rest, line > 0 ? line : longest);
    writer.write(encoder.encode(head.text));
    return rest.slice(head.length);
  };

  const add = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + Math.max(1, WINDOW - used));
      hold(part);
      from += part.length;
      if (used >= WINDOW) pass();
    }
  };

  return {
    write(chunk) {
      if (length > LONGEST_BLOB) return;
      length += chunk.length;
      if (length <= LONGEST_BLOB) add(chunk);
      else add(encoder.encode(`\n[… the output after ${LONGEST_BLOB} bytes was not stored]\n`));
    },
    async finish() {
      const bytes = held.subarray(0, used);
      if (used > 0) writer.write(redactor.holds(bytes) ? encoder.encode(redactor.redact(decode(bytes))) : bytes);
      return await writer.finish();
    },
    abort: () => writer.abort(),
  };
}

/** The end of the last complete UTF-8 character. Invalid bytes count as complete. */
function toCharacterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < size ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
