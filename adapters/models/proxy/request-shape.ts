import { headOf } from '@klaus/core/cut-text';
import { isRecord } from '@klaus/core/protocol';

/** A part of a request with which the provider would use the network for the program. */
export interface NetworkUse {
  /** Where it is in the request, such as `tools.2`. */
  at: string;
  /** What it is, such as `web_search`. */
  what: string;
  /** The address that the provider would request. Absent: the request does not say where it leads. */
  url?: string;
}

/** Checks a part of a request, and adds what is not known to be local. */
export type Shape = (value: unknown, at: string, found: NetworkUse[]) => void;

const MAX_WHAT = 80;

/** Local: the provider reads it as data. */
export const data: Shape = () => {};

/** A schema for JSON. One that refers to another document is not local. */
export const schema: Shape = (value, at, found) => {
  if (Array.isArray(value)) return value.forEach((item, index) => schema(item, `${at}.${index}`, found));
  if (!isRecord(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const refers = /^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && typeof item === 'string';
    if (refers && !item.startsWith('#')) found.push({ at: `${at}.${key}`, what: toWhat(item) });
    schema(item, `${at}.${key}`, found);
  }
};

/** Not local, with any content. */
export const remote: Shape = (value, at, found) => {
  if (isAbsent(value)) return;
  const named = isRecord(value) ? (value['type'] ?? value['name']) : value;
  found.push({ at, what: toWhat(named) });
};

/** An address that the provider requests. */
export const address: Shape = (value, at, found) => {
  if (isAbsent(value)) return;
  if (typeof value !== 'string') return void found.push({ at, what: 'address' });
  found.push({ at, what: toWhat(value), url: value });
};

/** An address, unless it contains the content itself. */
export const dataUrl: Shape = (value, at, found) => {
  if (typeof value !== 'string' || !value.startsWith('data:')) address(value, at, found);
};

/** Content as a `data:` URL or as Base64; otherwise an address. */
export const inline: Shape = (value, at, found) => {
  if (typeof value !== 'string' || !/^(?!\/\/)[A-Za-z0-9+/=\r\n]*$/.test(value)) dataUrl(value, at, found);
};

/** A string or another plain value. */
export const plain: Shape = (value, at, found) => {
  if (typeof value === 'object' && value !== null) remote(value, at, found);
};

export function list(item: Shape): Shape {
  return (value, at, found) => {
    if (!Array.isArray(value)) return remote(value, at, found);
    value.forEach((each, index) => item(each, `${at}.${index}`, found));
  };
}

/** A text, or a list of parts. */
export function textOr(parts: Shape): Shape {
  return (value, at, found) => {
    if (typeof value !== 'string') parts(value, at, found);
  };
}

/** An object with these fields. Others are not local unless they are empty. */
export function fields(known: Readonly<Record<string, Shape>>): Shape {
  return (value, at, found) => {
    if (!isRecord(value)) return remote(value, at, found);
    for (const [key, item] of Object.entries(value)) {
      const path = at === '' ? key : `${at}.${key}`;
      if (Object.hasOwn(known, key)) known[key]!(item, path, found);
      else if (!isAbsent(item)) found.push({ at: path, what: toWhat(key) });
    }
  };
}

/** An object whose `type` selects its shape. @param other For an object without a type. */
export function byType(known: Readonly<Record<string, Shape>>, other: Shape = remote): Shape {
  return (value, at, found) => {
    const type = isRecord(value) ? value['type'] : undefined;
    if (type === undefined || type === null) return other(value, at, found);
    const name = typeof type === 'string' ? Object.keys(known).find((each) => matches(each, type)) : undefined;
    (name === undefined ? remote : known[name]!)(value, at, found);
  };
}

/** `plain` for each of these names. */
export function plainFields(names: string): Record<string, Shape> {
  return Object.fromEntries(names.split(' ').map((name) => [name, plain]));
}

/** `data` for each of these names. */
export function dataFields(names: string): Record<string, Shape> {
  return Object.fromEntries(names.split(' ').map((name) => [name, data]));
}

/** The name of a model. Some search the web by themselves; one that begins with `@` is the name of settings of the account. */
export const model: Shape = (value, at, found) => {
  if (typeof value !== 'string') return remote(value, at, found);
  if (/^@|(?:^|[^a-z])(?:online|search|sonar|deep-?research)(?![a-z])/i.test(value))
    found.push({ at, what: toWhat(value) });
};

/** A name that ends with `_*` matches each version by date of a tool. */
function matches(name: string, type: string): boolean {
  return name.endsWith('_*')
    ? type.startsWith(name.slice(0, -1)) && /^\d{8}$/.test(type.slice(name.length - 1))
    : name === type;
}

/** An empty object is something: `web_search_options: {}` searches. */
function isAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

function toWhat(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : 'unknown';
  return text.length > MAX_WHAT ? `${headOf(text, MAX_WHAT)}…` : text;
}
