import type { FilePart, ImagePart, Part, TextPart } from '@klaus/core/protocol';

export interface Attachment {
  key: string;
  name: string;
  /** Bytes, or characters of a pasted text. */
  size: number;
  /** For an address: the host that has the page. Its part is the text that asks the model to read it. */
  host?: string;
  part: FilePart | ImagePart | TextPart;
}

/** Larger pastes become attachments, because a text field with more text responds slowly. */
const MAX_CHARS = 8_000;
const MAX_LINES = 150;

export const MAX_BYTES = 5 * 1_024 * 1_024;

/** True for a text that should be attached instead of inserted. */
export function isLong(text: string): boolean {
  return text.length > MAX_CHARS || countLines(text) > MAX_LINES;
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

export function fromText(name: string, text: string): Attachment {
  const part: FilePart = { type: 'file', name, mediaType: 'text/plain', text };
  return { key: crypto.randomUUID(), name, size: text.length, part };
}

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The reason why a file cannot be attached. */
export type Refusal = 'tooLarge' | 'notText';

/** Reads a file as an attachment: a supported image or a text. */
export async function fromFile(file: File): Promise<Attachment | Refusal> {
  if (file.size > MAX_BYTES) return 'tooLarge';
  const bytes = new Uint8Array(await file.arrayBuffer());
  const base = { key: crypto.randomUUID(), name: file.name, size: file.size };
  if (IMAGES.has(file.type)) {
    const mediaType = file.type as ImagePart['mediaType'];
    return { ...base, part: { type: 'image', mediaType, data: toBase64(bytes) } };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.includes('\0')) return 'notText';
    return { ...base, part: { type: 'file', name: file.name, mediaType: file.type || 'text/plain', text } };
  } catch {
    return 'notText';
  }
}

/** In chunks, because the number of arguments of a call is limited. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

export function toParts(text: string, attachments: readonly Attachment[]): Part[] {
  const words: Part[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  return [...words, ...attachments.map(({ part }) => part)];
}
