import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk/unstable';
import type { Part } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Largest size of an image, in bytes, and of all texts of a prompt, in characters. */
const MAX_IMAGE = 5 * 1_024 * 1_024;
const MAX_TEXT = 8 * 1_024 * 1_024;

export interface PromptPlace {
  /** Absolute path. */
  workspace: string;
  /** Characters above which a text is an attached file; 0 means no limit. */
  maxChars: number;
}

/**
 * The contents of a prompt as parts of a message. A link becomes its path or address: the model reads it with its own
 * tools, which pass the gate.
 *
 * @throws RequestError -32602 for an empty prompt, and for a content that is too large or not supported.
 */
export function toParts(prompt: readonly ContentBlock[], { workspace, maxChars }: PromptPlace): Part[] {
  const parts = joinTexts(prompt.map((block) => toPart(block, workspace)));
  if (parts.length === 0) throw RequestError.invalidParams(undefined, 'The prompt is empty.');
  const length = parts.reduce((sum, part) => sum + ('text' in part ? (part.text?.length ?? 0) : 0), 0);
  if (length > MAX_TEXT) {
    const text = `The prompt has ${length} characters; ${MAX_TEXT} are allowed. Save the text in a file and name the file.`;
    throw RequestError.invalidParams({ length }, text);
  }
  return maxChars === 0 ? parts : parts.flatMap((part) => attachLong(part, maxChars));
}

function attachLong(part: Part, maxChars: number): Part[] {
  if (part.type !== 'text' || part.text.length <= maxChars) return [part];
  return [
    { type: 'text', text: 'Follow the instructions in the attached file prompt.txt.' },
    { type: 'file', name: 'prompt.txt', mediaType: 'text/plain', text: part.text },
  ];
}

function toPart(block: ContentBlock, workspace: string): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return toImage(block.data);
    case 'resource_link':
      return { type: 'text', text: toLinkText(block.uri, workspace) };
    case 'resource': {
      const { resource } = block;
      const { uri, mimeType } = resource;
      const name = toName(uri, workspace);
      if ('text' in resource) return { type: 'file', name, mediaType: mimeType ?? 'text/plain', text: resource.text };
      if (mimeType?.startsWith('image/')) return toImage(resource.blob);
      return { type: 'text', text: `[${name}: ${mimeType ?? 'binary data'}, not included]` };
    }
    default:
      throw RequestError.invalidParams({ type: block.type }, `${block.type} is not supported.`);
  }
}

/** Adjacent texts are one text, because editors split a sentence at each mention of a file. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined.filter((part) => part.type !== 'text' || part.text !== '');
}

/** @param data Base64. */
function toImage(data: string): Part {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_IMAGE) {
    const text = `The image has ${bytes.length} bytes; ${MAX_IMAGE} are allowed.`;
    throw RequestError.invalidParams({ bytes: bytes.length }, text);
  }
  // Its first bytes decide, not what the editor calls it.
  const image = toImagePart(bytes);
  if (image) return image;
  throw RequestError.invalidParams(undefined, 'An image must be PNG, JPEG, GIF or WebP.');
}

/** `@src/sum.js` for a file of the workspace, else the address. */
function toLinkText(uri: string, workspace: string): string {
  return uri.startsWith('file:') ? `@${toName(uri, workspace)}` : uri;
}

function toName(uri: string, workspace: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    const url = new URL(uri);
    const lines = /^#L(\d+)(?::(\d+))?/.exec(url.hash);
    url.hash = '';
    url.search = '';
    const path = fileURLToPath(url);
    const inside = relative(workspace, path);
    const name = inside === '' || inside.startsWith('..') ? path : inside;
    return lines ? `${name}:${lines[1]}${lines[2] === undefined ? '' : `-${lines[2]}`}` : name;
  } catch {
    return uri;
  }
}
