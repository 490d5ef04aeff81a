import { isSpecType, type SpecTypes } from '@modelcontextprotocol/client';
import { isRecord } from '@klaus/core/protocol';
import type { JsonObject } from './json-object.ts';
import { keepValid } from './keep-valid.ts';
import { repairContent, repairPart } from './repair-content.ts';
import { repairTools, type RepairOptions } from './repair-tools.ts';

type Repair = (result: JsonObject, options: RepairOptions) => JsonObject;

/** By the method of the request. Other results stay as they are. */
const REPAIRS: Readonly<Record<string, Repair>> = {
  initialize: ({ capabilities, serverInfo, instructions, ...rest }) => ({
    ...rest,
    capabilities: keepObjects(capabilities),
    serverInfo: toImplementation(serverInfo),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }),
  'tools/list': (result, options) => ({ ...result, tools: repairTools(result['tools'], options) }),
  'prompts/list': (result) => ({ ...result, prompts: keepEntries('Prompt', result['prompts']) }),
  'resources/list': (result) => ({ ...result, resources: keepEntries('Resource', result['resources']) }),
  'resources/read': (result) => ({
    ...result,
    contents: toList(result['contents']).map(toContents),
  }),
  'prompts/get': (result) => ({ ...result, messages: toList(result['messages']).flatMap(toMessages) }),
  'tools/call': ({ content, structuredContent, isError, ...rest }) => ({
    ...rest,
    content: repairContent(content),
    ...(structuredContent === undefined || structuredContent === null ? {} : toStructured(structuredContent)),
    ...(isError === undefined || isError === null ? {} : { isError: isError === true || isError === 'true' }),
  }),
};

/** The result of a request in the shape of the protocol, as far as its meaning is certain. */
export function repairResult(method: string, { _meta, ...given }: JsonObject, options: RepairOptions): JsonObject {
  // The server needs something of the user first: there is no result yet.
  if (given['resultType'] === 'input_required') return _meta === undefined ? given : { ...given, _meta };
  const { nextCursor, ...rest } = given;
  const hasNext = typeof nextCursor === 'string' && nextCursor !== '';
  const result = method.endsWith('/list') ? { ...rest, ...(hasNext ? { nextCursor } : {}) } : given;
  const repaired = Object.hasOwn(REPAIRS, method) ? REPAIRS[method]!(result, options) : result;
  const marked = { ...repaired, _meta };
  return _meta !== undefined && isSpecType.Result(marked) ? marked : repaired;
}

function toStructured(structuredContent: unknown): JsonObject {
  return { structuredContent };
}

function toList(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

function keepEntries(type: keyof SpecTypes, given: unknown): JsonObject[] {
  return toList(given).flatMap((each) => (isRecord(each) ? toArray(keepValid(type, each)?.value) : []));
}

function toArray(value: JsonObject | undefined): JsonObject[] {
  return value ? [value] : [];
}

function keepObjects(given: unknown): JsonObject {
  return isRecord(given) ? Object.fromEntries(Object.entries(given).filter(([, value]) => isRecord(value))) : {};
}

function toImplementation(given: unknown): JsonObject {
  const named = isRecord(given) ? given : {};
  const toText = (key: string, absent: string): string => (typeof named[key] === 'string' ? named[key] : absent);
  const complete = { ...named, name: toText('name', 'unnamed'), version: toText('version', '') };
  return keepValid('Implementation', complete)?.value ?? { name: complete.name, version: complete.version };
}

function toContents(given: unknown): unknown {
  if (isSpecType.TextResourceContents(given) || isSpecType.BlobResourceContents(given)) return given;
  const uri = isRecord(given) && typeof given['uri'] === 'string' ? given['uri'] : '';
  return { uri, text: repairPart(given)['text'] };
}

/** A message of a prompt has one part. */
function toMessages(given: unknown): JsonObject[] {
  if (!isRecord(given)) return [];
  const { role, content } = given;
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part) => ({ role: role === 'assistant' ? role : 'user', content: repairPart(part) }));
}
