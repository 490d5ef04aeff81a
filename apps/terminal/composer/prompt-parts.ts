import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, resolve } from 'node:path';
import type { ImagePart, Part } from '@klaus/sdk';
import type { Entered } from '../screen/index.ts';

/** Characters of a pasted text above which it is an attached file instead of a part of the prompt. */
const MAX_INLINE = 10_000;
/** Bytes of an image that can be attached. */
const MAX_IMAGE = 5 * 1_024 * 1_024;

const SIGNATURES: readonly { mediaType: ImagePart['mediaType']; at: number; bytes: string }[] = [
  { mediaType: 'image/png', at: 0, bytes: '\u0089PNG\r\n\u001a\n' },
  { mediaType: 'image/jpeg', at: 0, bytes: '\u00ff\u00d8\u00ff' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF8' },
  { mediaType: 'image/webp', at: 8, bytes: 'WEBP' },
];

/** An image that is attached to the prompt by a mark in its text. */
export interface AttachedImage {
  mark: string;
  part: ImagePart;
}

/** The parts of a prompt: its text, long pastes as files, and the images whose marks it contains. */
export function toParts({ text, pastes }: Entered, images: readonly AttachedImage[]): Part[] {
  let prompt = text;
  const files: Part[] = [];
  for (const [mark, paste] of pastes) {
    if (paste.length <= MAX_INLINE) prompt = prompt.replace(mark, () => paste);
    else files.push({ type: 'file', name: `paste-${files.length + 1}.txt`, mediaType: 'text/plain', text: paste });
  }
  const shown = images.filter(({ mark }) => prompt.includes(mark)).map(({ part }) => part);
  return [{ type: 'text', text: prompt }, ...files, ...shown];
}

/** The kind of an image by its first bytes; undefined for anything else. */
export function toImagePart(bytes: Uint8Array): ImagePart | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = SIGNATURES.find((signature) => head.startsWith(signature.bytes, signature.at));
  return found && { type: 'image', mediaType: found.mediaType, data: Buffer.from(bytes).toString('base64') };
}

/**
 * The file that a pasted text names, as terminals paste the path of a dropped file: quoted, or with escaped spaces.
 * Undefined for any other text.
 */
export function toDroppedFile(text: string): { path: string; image?: ImagePart } | undefined {
  const trimmed = text.trim();
  if (trimmed.includes('\n') || trimmed.length > 4_096) return undefined;
  const unquoted = /^(['"]).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed.replaceAll(/\\(.)/g, '$1');
  const name = unquoted.startsWith('file://') ? decodeURIComponent(unquoted.slice('file://'.length)) : unquoted;
  if (!isAbsolute(name) && !name.startsWith('~/')) return undefined;
  const path = name.startsWith('~/') ? resolve(homedir(), name.slice(2)) : name;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  const isImage = /\.(?:png|jpe?g|gif|webp)$/i.test(basename(path)) && stats.size <= MAX_IMAGE;
  const image = isImage ? toImagePart(readFileSync(path)) : undefined;
  return image ? { path, image } : { path };
}
