import { headOf } from '@klaus/core/cut-text';
import type { InputField, InputQuestion } from '@klaus/core/protocol';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '@modelcontextprotocol/client';
import { toShownHost } from './shown-host.ts';

/** Characters of a message, and of a title or a description. */
const MAX_MESSAGE = 4_000;
const MAX_TEXT = 500;
const MAX_FIELDS = 50;
const MAX_OPTIONS = 200;
const MAX_URL = 2_000;

type FieldSchema = ElicitRequestFormParams['requestedSchema']['properties'][string];

/** The question of a server for the user; undefined for one that cannot be shown. */
export function toQuestion(
  server: string,
  params: ElicitRequestFormParams | ElicitRequestURLParams,
): InputQuestion | undefined {
  const head = { from: `the MCP server ${server}`, message: headOf(params.message, MAX_MESSAGE) };
  if (params.mode === 'url') {
    const url = toSafeUrl(params.url);
    return url && { ...head, fields: [], url: url.href, host: toShownHost(url) };
  }
  const { properties, required = [] } = params.requestedSchema;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS || entries.some(([name]) => name.length > MAX_TEXT)) return undefined;
  const fields = entries.map(([name, schema]) => toField(name, schema, required.includes(name)));
  return fields.some(({ options = [] }) => options.length > MAX_OPTIONS) ? undefined : { ...head, fields };
}

/** An address for a browser. Without encryption only on this machine. */
function toSafeUrl(text: string): URL | undefined {
  const url = text.length > MAX_URL ? null : URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return undefined;
  const isOnThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine) ? url : undefined;
}

function toField(name: string, schema: FieldSchema, required: boolean): InputField {
  const { title = name, description } = schema;
  const head = {
    ...{ name, required, title: headOf(title, MAX_TEXT) },
    description: description === undefined ? undefined : headOf(description, MAX_TEXT),
    default: schema.default,
  };
  if (schema.type === 'array') {
    const { items } = schema;
    const options = 'enum' in items ? items.enum.map((value) => ({ value, title: value })) : items.anyOf.map(toOption);
    return { ...head, type: 'choices', options, min: schema.minItems, max: schema.maxItems };
  }
  if ('oneOf' in schema) return { ...head, type: 'choice', options: schema.oneOf.map(toOption) };
  if ('enum' in schema) {
    const names = 'enumNames' in schema ? (schema.enumNames ?? []) : [];
    return { ...head, type: 'choice', options: schema.enum.map((value, at) => ({ value, title: names[at] ?? value })) };
  }
  if (schema.type === 'boolean') return { ...head, type: 'boolean' };
  if (schema.type === 'string') {
    const { format, minLength, maxLength } = schema;
    return { ...head, type: 'text', format, min: minLength, max: maxLength };
  }
  const type = schema.type === 'integer' ? 'integer' : 'number';
  return { ...head, type, min: schema.minimum, max: schema.maximum };
}

function toOption({ const: value, title }: { const: string; title: string }) {
  return { value, title };
}
