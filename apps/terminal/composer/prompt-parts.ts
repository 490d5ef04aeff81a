import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, resolve } from 'node:path';
import type { FilePart, ImagePart, Part } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';
import type { Entered } from '../screen/index.ts';

/** Characters of a pasted text above which it is an attached file instead of a part of the prompt. */
const MAX_INLINE = 10_000;
/** Bytes of an image that can be attached. */
const MAX_IMAGE = 5 * 1_024 * 1_024;

/** An image or a file that is attached to the prompt by a mark in its text. */
export interface AttachedPart {
  mark: string;
  part: ImagePart | FilePart;
}

/** The parts of a prompt: its text, long pastes as files, and the attached parts whose marks it contains. */
export function toParts({ text, pastes }: Entered, attached: readonly AttachedPart[]): Part[] {
  let prompt = text;
  const files: Part[] = [];
  for (const [mark, paste] of pastes) {
    if (paste.length <= MAX_INLINE) prompt = prompt.replace(mark, () => paste);
    else files.push({ type: 'file', name: `paste-${files.length + 1}.txt`, mediaType: 'text/plain', text: paste });
  }
  const shown = attached.filter(({ mark }) => prompt.includes(mark)).map(({ part }) => part);
  return [{ type: 'text', text: prompt }, ...files, ...shown];
}

const MARKS = /\[(?:paste #\d+ (?:\+\d+ lines|\d+ chars)|(?:file|image) \d+: [^\]\n]*)\]/g;

/**
 * A sent prompt as it is edited: the reverse of {@link toParts}. A part without a mark in the text gets one at its end.
 *
 * @param first Number of the first mark.
 */
export function toEdited(parts: readonly Part[], first: number): { text: string; attached: AttachedPart[] } {
  const attached: AttachedPart[] = [];
  const left = parts.filter((part) => part.type === 'image' || part.type === 'file');
  const attach = (part: AttachedPart['part'], name: string): string => {
    const mark = `[${part.type} ${first + attached.length}: ${name}]`;
    attached.push({ mark, part });
    return mark;
  };
  const said = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const text = said.replaceAll(MARKS, (found) => {
    const type = found.startsWith('[image') ? 'image' : 'file';
    const at = left.findIndex((part) => part.type === type);
    if (at < 0) return found;
    const [part] = left.splice(at, 1);
    return attach(part!, part!.type === 'file' ? part!.name : /: (.*)\]$/.exec(found)![1]!);
  });
  const rest = left.map((part) => attach(part, part.type === 'file' ? part.name : part.mediaType));
  return { text: [text, ...rest].filter((each) => each !== '').join(' '), attached };
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
