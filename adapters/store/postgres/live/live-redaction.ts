import { toLiveKey, type LivePiece } from '@klaus/core/protocol';
import type { RedactText } from './live-buffer.ts';

/** Characters before new text that are searched again with it: a secret may be known by what is before it. */
const CONTEXT = 1_024;
/** Longest end of a text without a space that waits because it may be the beginning of a secret. */
const MAX_WORD = 1_024;
/** The same for a private key or certificate without its last line. */
const MAX_KEY = 16 * 1_024;
/** Sessions whose texts are known, the latest. */
const MAX_SESSIONS = 1_000;

/** A space, or a character of a script without spaces. */
const BOUNDARY = /[\s\u2E80-\u9FFF]/;

/** One text that grows. */
interface Growing {
  /** Its first piece. */
  piece: LivePiece;
  /** Offset of the next piece. */
  next: number;
  /** The same in the redacted text. */
  sent: number;
  /** The end of the text, as it was before redaction. */
  raw: string;
  /** Characters of `raw` that were passed on. */
  seam: number;
  /** These characters, redacted. */
  clean: string;
  /** The beginning was not seen: what is before the next boundary may be the end of a secret. */
  isCut: boolean;
}

/**
 * Redacts texts that arrive in pieces. The last word waits for its end, because a secret may be split over pieces.
 * Offsets count the characters of the redacted texts. A secret that only later text shows to be one is not found in time.
 */
export class LiveRedaction {
  /** By session and key of the text. */
  readonly #sessions = new Map<string, Map<string, Growing>>();

  /** The piece with the text that can be passed on now; undefined without any. */
  add<T extends LivePiece>(piece: T, redact: RedactText): T | undefined {
    const text = this.#find(piece);
    text.raw += piece.text;
    text.next = piece.offset + piece.text.length;
    if (text.isCut && !skipCut(text)) return undefined;
    const seam = toSeam(text);
    if (seam <= text.seam) return undefined;
    const clean = redact(text.raw.slice(0, seam));
    const added = clean.slice(commonLength(text.clean, clean));
    Object.assign(text, { seam, clean });
    shorten(text, redact);
    if (added === '') return undefined;
    const offset = text.sent;
    text.sent += added.length;
    return { ...piece, offset, text: added };
  }

  /** Forgets texts of a session that are complete or discarded. */
  forget(session: string, isForgotten: (piece: LivePiece) => boolean): void {
    const texts = this.#sessions.get(session);
    if (!texts) return;
    for (const [key, { piece }] of texts) if (isForgotten(piece)) texts.delete(key);
    if (texts.size === 0) this.#sessions.delete(session);
  }

  #find(piece: LivePiece): Growing {
    const { session, offset } = piece;
    let texts = this.#sessions.get(session);
    if (!texts) {
      texts = new Map();
      this.#sessions.set(session, texts);
      const [oldest] = this.#sessions.keys();
      if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    }
    const key = toLiveKey(piece);
    const known = texts.get(key);
    if (known?.next === offset) return known;
    // Text was lost: what waits is lost too, and the rest follows after a gap of the same length.
    const lost = known && offset > known.next ? known.raw.length - known.seam + offset - known.next : undefined;
    const sent = lost === undefined ? offset : known!.sent + lost;
    const text: Growing = { piece, next: offset, sent, raw: '', seam: 0, clean: '', isCut: offset > 0 };
    texts.set(key, text);
    return text;
  }
}

/** Skips the word at the beginning of a text whose earlier part is not known. False while its end is not there. */
function skipCut(text: Growing): boolean {
  const end = text.raw.search(BOUNDARY);
  const skipped = end < 0 ? text.raw.length : end;
  text.raw = text.raw.slice(skipped);
  text.sent += skipped;
  text.isCut = end < 0;
  return end >= 0;
}

/** The position up to which a text cannot be the beginning of a secret that continues. */
function toSeam({ raw, seam }: Growing): number {
  let end = raw.length;
  while (end > seam && !BOUNDARY.test(raw[end - 1]!)) end -= 1;
  if (raw.length - end > MAX_WORD) end = raw.length;
  const key = raw.lastIndexOf('-----BEGIN ');
  const isOpen = key >= 0 && !/-----END [^\n]*\n/.test(raw.slice(key)) && raw.length - key <= MAX_KEY;
  return isOpen ? Math.min(end, key) : end;
}

/** Drops the beginning of a long text. */
function shorten(text: Growing, redact: RedactText): void {
  if (text.seam <= 2 * CONTEXT) return;
  const from = text.seam - CONTEXT;
  const space = text.raw.slice(from, text.seam).search(BOUNDARY);
  const cut = from + Math.max(0, space);
  text.raw = text.raw.slice(cut);
  text.seam -= cut;
  text.clean = redact(text.raw.slice(0, text.seam));
}

/** Number of characters at the beginning that two texts have in common. */
function commonLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
