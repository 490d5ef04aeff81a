import { headOf } from '@klaus/core/cut-text';
import { isRecord } from '@klaus/core/protocol';

/** What an error of a server says, in any of the shapes in which servers write errors. */
export interface ErrorBody {
  /** The server's own words, the general ones first; '' if there are none. */
  message: string;
  /** Codes and types, in lower case and without punctuation: `contextlengthexceeded`. */
  names: ReadonlySet<string>;
  /** The HTTP status that the body names. */
  status?: number;
  /** Refused parameter. */
  param?: string;
  /** Tokens of the context window and of the prompt. */
  contextWindow?: number;
  promptTokens?: number;
  /** True for a page of HTML or XML without fields of an API. */
  isPage: boolean;
}

/** Fields with text about the error, from general to specific. */
const TEXTS = [
  ...['title', 'message', 'msg', 'error_message', 'errorMessage', 'error_msg', 'error', 'error_description'],
  ...['detail', 'details', 'errors', 'reason', 'innererror', 'inner_error', 'cause', 'metadata', 'raw', 'response'],
];
const NAMES = ['type', '__type', 'code', 'status', 'reason', 'error_code', 'error_type', 'errorType', 'errorCode'];
const MAX_DEPTH = 8;
const MAX_ENTRIES = 10;
/** Characters of each text. */
const MAX_TEXT = 2_000;
/** Characters of a page that are read. */
const MAX_PAGE = 20_000;

/** @param body The parsed body, or its text. */
export function readErrorBody(body: unknown): ErrorBody {
  const found: Found = { texts: [], names: new Set(), isPage: false };
  walk(body, found, 0);
  const texts = found.texts.filter(
    (text, at) => !found.texts.some((other, index) => contains(other, text, index < at)),
  );
  const { texts: _, ...others } = found;
  return { ...others, message: texts.join(': ') };
}

/** A name as `names` has it. */
function toName(text: string): string {
  // AWS writes `com.amazon.coral.service#ThrottlingException:http://…`.
  return text
    .replace(/^.*#/, '')
    .replace(/:.*$/s, '')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

interface Found extends Omit<ErrorBody, 'message' | 'names'> {
  texts: string[];
  names: Set<string>;
}

function walk(value: unknown, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') walkText(value, found, depth);
  else if (Array.isArray(value)) for (const item of value.slice(0, MAX_ENTRIES)) walk(item, found, depth + 1);
  else if (isRecord(value)) walkRecord(value, found, depth);
}

function walkRecord(value: Record<string, unknown>, found: Found, depth: number): void {
  for (const key of NAMES) addName(value[key], found);
  for (const key of ['code', 'status', 'status_code', 'statusCode']) {
    const status = Number(value[key]);
    if (Number.isInteger(status) && status >= 400 && status < 600) found.status ??= status;
  }
  if (typeof value['param'] === 'string') found.param ??= value['param'];
  found.contextWindow ??= toTokens(value['n_ctx']);
  found.promptTokens ??= toTokens(value['n_prompt_tokens']);
  // A field of the request that FastAPI refuses.
  const { loc, msg } = value;
  if (Array.isArray(loc) && typeof msg === 'string') {
    found.param ??= String(loc.findLast((step) => typeof step === 'string' && step !== 'body') ?? '');
    found.texts.push(`${loc.join('.')}: ${msg}`);
    return;
  }
  for (const key of TEXTS) {
    const text = value[key];
    // AWS begins some fields with a capital letter.
    walk(text === undefined ? value[key.charAt(0).toUpperCase() + key.slice(1)] : text, found, depth + 1);
  }
}

function walkText(text: string, found: Found, depth: number): void {
  const trimmed = text.trim();
  if (trimmed === '') return;
  if (/^[[{"]/.test(trimmed)) {
    try {
      return walk(JSON.parse(trimmed), found, depth + 1);
    } catch {
      // It is text that only looks like JSON.
    }
  }
  if (trimmed.startsWith('<')) return addPage(trimmed, found, depth);
  found.texts.push(trimmed.slice(0, MAX_TEXT));
  // Gateways put the body of the server behind words of their own.
  const [begin, end] = [trimmed.indexOf('{'), trimmed.lastIndexOf('}')];
  if (begin <= 0 || end < begin || depth > MAX_DEPTH) return;
  const behind: Found = { texts: [], names: found.names, isPage: false };
  walkText(trimmed.slice(begin, end + 1), behind, depth + 1);
  const { texts: _, names: __, isPage: ___, ...fields } = behind;
  Object.assign(found, { ...fields, ...found });
}

/** A page of HTML has its title; XML has its fields. */
function addPage(text: string, found: Found, depth: number): void {
  const markup = headOf(text, MAX_PAGE);
  const read = (tag: string): string | undefined => {
    const content = new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, 'is').exec(markup)?.[1];
    return content === undefined ? undefined : toPlainText(content) || undefined;
  };
  addName(read('code'), found);
  const message = read('message');
  if (depth === 0 && message === undefined) found.isPage = true;
  const shown = message ?? read('title') ?? read('h1') ?? toPlainText(read('body') ?? markup).slice(0, 200);
  if (shown !== '') found.texts.push(shown);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function toPlainText(markup: string): string {
  return markup
    .replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0xffff)))
    .replace(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

function addName(value: unknown, found: Found): void {
  const name = typeof value === 'string' && value.length < 200 ? toName(value) : '';
  if (name !== '') found.names.add(name);
}

/** True if `other` makes `text` superfluous. @param isEarlier Of two equal texts, the first one remains. */
function contains(other: string, text: string, isEarlier: boolean): boolean {
  return other === text ? isEarlier : other.includes(text);
}

function toTokens(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
