import { headOf } from '@klaus/core/cut-text';
import type { SpecTypes } from '@modelcontextprotocol/client';
import { isRecord } from '@klaus/core/protocol';
import type { JsonObject } from './json-object.ts';
import { keepValid } from './keep-valid.ts';

/** Characters of content of an unknown type. */
const MAX_UNKNOWN = 20_000;

const TYPES: Readonly<Record<string, keyof SpecTypes>> = {
  text: 'TextContent',
  image: 'ImageContent',
  audio: 'AudioContent',
  resource: 'EmbeddedResource',
  resource_link: 'ResourceLink',
};

/** The parts of a result. A part of another type or shape becomes text, so that the others are not lost. */
export function repairContent(given: unknown): JsonObject[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(repairPart);
}

/** One part: content of a result or of a message of a prompt. */
export function repairPart(part: unknown): JsonObject {
  if (typeof part === 'string') return toText(part);
  if (!isRecord(part)) return toUnknown('no content of the protocol', part);
  const type = String(part['type']);
  const complete = typeof part['data'] === 'string' ? withBytes(part, part['data']) : part;
  const known = Object.hasOwn(TYPES, type) ? keepValid(TYPES[type]!, complete) : undefined;
  return known?.value ?? toUnknown(`content of the type ${headOf(type, 100)}, shown as it is`, part);
}

/** Bytes are often sent with line breaks, as an address with data, or without their type. */
function withBytes(part: JsonObject, data: string): JsonObject {
  const bytes = data.replace(/^data:[^,]{0,200},/, '').replaceAll(/\s+/g, '');
  const { mimeType } = part;
  return { ...part, data: bytes, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream' };
}

function toUnknown(what: string, part: unknown): JsonObject {
  return toText(`[${what}]\n${headOf(JSON.stringify(part) ?? '', MAX_UNKNOWN)}`);
}

function toText(text: string): JsonObject {
  return { type: 'text', text };
}
