import type { ImagePart } from '@klaus/core/protocol';

const SIGNATURES: readonly { mediaType: ImagePart['mediaType']; at: number; bytes: string }[] = [
  { mediaType: 'image/png', at: 0, bytes: '\u0089PNG\r\n\u001a\n' },
  { mediaType: 'image/jpeg', at: 0, bytes: '\u00ff\u00d8\u00ff' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF8' },
  { mediaType: 'image/webp', at: 8, bytes: 'WEBP' },
];

/** The kind of an image by its first bytes; undefined for anything else. */
export function toImagePart(bytes: Uint8Array): ImagePart | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = SIGNATURES.find((signature) => head.startsWith(signature.bytes, signature.at));
  return found && { type: 'image', mediaType: found.mediaType, data: Buffer.from(bytes).toString('base64') };
}
