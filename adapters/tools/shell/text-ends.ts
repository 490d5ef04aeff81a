import type { LiveText } from '@klaus/core/agent';

/** Pieces up to this length are joined, so that output in small pieces does not become thousands of strings. */
const MAX_JOINED = 4_096;

/** Half of a surrogate pair. */
const LAST_HALF = /[\ud800-\udbff]$/;
const FIRST_HALF = /^[\udc00-\udfff]/;

/** Stores the start and the end of a text that arrives in pieces. */
export class TextEnds {
  readonly #part: number;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  /** @param part Characters of each end. */
  constructor(part: number) {
    this.#part = part;
  }

  add(text: LiveText): void {
    this.#total += text.length;
    const room = this.#part - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = text.length - Math.max(0, room);
    if (rest <= 0) return;
    if (rest >= this.#part) {
      this.#tail = [text.slice(text.length - this.#part)];
      this.#tailLength = this.#part;
      return;
    }
    const last = this.#tail.at(-1);
    const piece = text.slice(text.length - rest);
    if (last !== undefined && last.length + rest <= MAX_JOINED) this.#tail[this.#tail.length - 1] = last + piece;
    else this.#tail.push(piece);
    this.#tailLength += rest;
    // Drops strings that no longer overlap the end.
    let dropped = 0;
    while (this.#tailLength - this.#tail[dropped]!.length >= this.#part)
      this.#tailLength -= this.#tail[dropped++]!.length;
    if (dropped > 0) this.#tail.splice(0, dropped);
  }

  /** Characters between the two ends. */
  get left(): number {
    return Math.max(0, this.#total - this.#head.length - this.#part);
  }

  toParts(): { head: string; tail: string } {
    const [head, tail] = [this.#head, this.#tail.join('').slice(-this.#part)];
    // The other half of a character at an end was left out.
    return this.left === 0 ? { head, tail } : { head: head.replace(LAST_HALF, ''), tail: tail.replace(FIRST_HALF, '') };
  }
}
