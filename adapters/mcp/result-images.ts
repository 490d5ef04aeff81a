import type { ImagePart } from '@klaus/core/protocol';

/** Images of one result, and their bytes together. Further ones are only named. */
const MAX_IMAGES = 4;
const MAX_BYTES = 4 * 1_024 * 1_024;
/** Pixels of a side. Providers refuse larger images, and with them each later request of the session. */
const MAX_SIDE = 8_000;

type Part = Readonly<Record<string, unknown>>;

/** Collects the images of a result up to a limit. */
export class ResultImages {
  readonly images: ImagePart[] = [];
  #bytes = 0;

  /** True if the part is an image that is taken. */
  take({ type, data, blob, mimeType }: Part): boolean {
    const isImage = type === 'image' || (typeof mimeType === 'string' && mimeType.startsWith('image/'));
    const text = typeof data === 'string' ? data : blob;
    if (!isImage || typeof text !== 'string' || this.images.length >= MAX_IMAGES) return false;
    if ((text.length * 3) / 4 > MAX_BYTES) return false;
    const bytes = Buffer.from(text, 'base64');
    const mediaType = toMediaType(bytes);
    if (mediaType === undefined || this.#bytes + bytes.length > MAX_BYTES) return false;
    this.#bytes += bytes.length;
    this.images.push({ type: 'image', mediaType, data: bytes.toString('base64') });
    return true;
  }
}

/** The kind of a complete image by its bytes, not by the words of its server; undefined for another file and a damaged one. */
function toMediaType(bytes: Buffer): ImagePart['mediaType'] | undefined {
  const has = (at: number, text: string): boolean => bytes.toString('latin1', at, at + text.length) === text;
  const fits = (width: number, height: number): boolean =>
    width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;
  if (bytes.length < 32) return undefined;
  if (has(0, '\u0089PNG\r\n\u001a\n')) {
    const isComplete = has(bytes.length - 8, 'IEND');
    return isComplete && fits(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) ? 'image/png' : undefined;
  }
  if (has(0, 'GIF8')) {
    const isComplete = bytes.at(-1) === 0x3b;
    return isComplete && fits(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) ? 'image/gif' : undefined;
  }
  if (has(0, 'RIFF') && has(8, 'WEBP')) return bytes.readUInt32LE(4) + 8 === bytes.length ? 'image/webp' : undefined;
  if (has(0, '\u00ff\u00d8\u00ff')) {
    const sides = bytes.at(-2) === 0xff && bytes.at(-1) === 0xd9 ? readJpegSides(bytes) : undefined;
    return sides && fits(...sides) ? 'image/jpeg' : undefined;
  }
  return undefined;
}

/** Width and height in the header of the frame. */
function readJpegSides(bytes: Buffer): [width: number, height: number] | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
