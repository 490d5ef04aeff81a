import { toImageType } from '@klaus/adapters/image-head';
import type { ImagePart } from '@klaus/core/protocol';

/** The kind of an image by its first bytes; undefined for anything else. */
export function toImagePart(bytes: Uint8Array): ImagePart | undefined {
  const mediaType = toImageType(bytes);
  return mediaType && { type: 'image', mediaType, data: Buffer.from(bytes).toString('base64') };
}
