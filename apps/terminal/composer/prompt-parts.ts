import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, resolve } from 'node:path';
import type { ImagePart, Part } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';
import type { Entered } from '../screen/index.ts';

/** Characters of a pasted text above which it is an attached file instead of a part of the prompt. */
const MAX_INLINE = 10_000;
/** Bytes of an image that can be attached. */
const MAX_IMAGE = 5 * 1_024 * 1_024;

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
