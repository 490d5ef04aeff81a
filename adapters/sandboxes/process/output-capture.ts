const HEAD_SHARE = 0.6;

/** Stores the beginning and the end of an output: 60 % and 40 % of a byte limit. */
export class OutputCapture {
  readonly #headSize: number;
  readonly #tailSize: number;
  #head = new Uint8Array(0);
  #headUsed = 0;
  /** A ring buffer, allocated only when the head is full. */
  #tail: Uint8Array | undefined;
  #tailTotal = 0;

  /** @param keepBytes The byte limit, without the marker line between head and tail. */
  constructor(keepBytes: number) {
    this.#headSize = Math.ceil(keepBytes * HEAD_SHARE);
    this.#tailSize = keepBytes - this.#headSize;
  }

  write(chunk: Uint8Array): void {
    const first = chunk.subarray(0, this.#headSize - this.#headUsed);
    if (first.length > 0) {
      this.#growHead(this.#headUsed + first.length);
      this.#head.set(first, this.#headUsed);
      this.#headUsed += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail ??= new Uint8Array(this.#tailSize);
    // Of a chunk that is longer than the ring buffer only the end is stored.
    const kept = rest.subarray(Math.max(0, rest.length - this.#tailSize));
    let at = this.#tailSize === 0 ? 0 : (this.#tailTotal + rest.length - kept.length) % this.#tailSize;
    for (let from = 0; from < kept.length;) {
      const piece = kept.subarray(from, from + this.#tailSize - at);
      this.#tail.set(piece, at);
      from += piece.length;
      at = 0;
    }
    this.#tailTotal += rest.length;
  }

  get missing(): number {
    return Math.max(0, this.#tailTotal - this.#tailSize);
  }

  /** The stored output, with a line that reports the discarded bytes. Invalid UTF-8 becomes U+FFFD. */
  toText(): string {
    const head = this.#head.subarray(0, this.#headUsed);
    const tail = this.#tailBytes();
    if (this.missing === 0) return Buffer.concat([head, tail]).toString('utf8');
    const headText = toUtf8(head.subarray(0, toCharacterEnd(head)));
    const tailText = toUtf8(tail.subarray(toCharacterStart(tail)));
    return `${headText}\n[… ${toGrouped(this.missing)} bytes left out …]\n${tailText}`;
  }

  #growHead(needed: number): void {
    if (needed <= this.#head.length) return;
    const larger = new Uint8Array(Math.min(this.#headSize, Math.max(needed, this.#head.length * 2, 4_096)));
    larger.set(this.#head.subarray(0, this.#headUsed));
    this.#head = larger;
  }

  #tailBytes(): Uint8Array {
    if (!this.#tail) return new Uint8Array(0);
    if (this.#tailTotal <= this.#tailSize) return this.#tail.subarray(0, this.#tailTotal);
    const at = this.#tailTotal % this.#tailSize;
    return Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
  }
}

/** The end of the last complete UTF-8 character. Invalid bytes count as complete. */
export function toCharacterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < length ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

function toCharacterStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}

/** `1,234,567`, without `toLocaleString`, because the first use of ICU takes tens of milliseconds. */
function toGrouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Without a TextDecoder, for the same reason. */
function toUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
