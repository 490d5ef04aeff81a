import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk/unstable';
import type { Part } from '@klaus/sdk';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/**
 * The contents of a prompt as parts of a message. A link becomes its path or address: the model reads it with its own
 * tools, which pass the gate.
 *
 * @param workspace Absolute path.
 * @throws RequestError -32602 for a content that is not supported.
 */
export function toParts(prompt: readonly ContentBlock[], workspace: string): Part[] {
  return joinTexts(prompt.map((block) => toPart(block, workspace)));
}

function toPart(block: ContentBlock, workspace: string): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', mediaType: toImageType(block.mimeType), data: block.data };
    case 'resource_link':
      return { type: 'text', text: toLinkText(block.uri, workspace) };
    case 'resource': {
      const { resource } = block;
      const { uri, mimeType } = resource;
      const name = toName(uri, workspace);
      if ('text' in resource) return { type: 'file', name, mediaType: mimeType ?? 'text/plain', text: resource.text };
      if (isImageType(mimeType)) return { type: 'image', mediaType: mimeType, data: resource.blob };
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

function isImageType(type: string | null | undefined): type is ImageType {
  return IMAGE_TYPES.some((each) => each === type);
}

function toImageType(type: string): ImageType {
  if (isImageType(type)) return type;
  throw RequestError.invalidParams({ mimeType: type }, `Images of type ${type} are not supported.`);
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
