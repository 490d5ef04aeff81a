import { headOf } from './cut-text.ts';
import type { ValueNode } from '../contract/index.ts';
import { isWorkingFolder } from '../redact/secret-names.ts';
import { describeValue, type Part } from './describe-value.ts';

/** What hides secrets. See `redact/`. */
export interface Mask {
  /** The text without secrets. */
  text: (text: string) => string;
  /** True for a name whose value is a secret: `password`. */
  isSecretName: (name: string) => boolean;
}

export interface FormatOptions {
  mask: Mask;
  /** Levels of parts. Default 4. */
  depth?: number;
  /** Characters of the result. Default 16,000. */
  length?: number;
  /** Parts of one value. Default 100. */
  items?: number;
  /** Characters of one string. Default 4,000. */
  characters?: number;
}

interface State {
  options: Required<FormatOptions>;
  /** Characters that are left. */
  left: number;
  path: object[];
  /** Nodes that are left. */
  nodes: number;
}

export const MASKED = '[masked]';
/** What is read behind the end of a text that is cut: a secret that the end cuts must be found. */
const MARGIN = 4096;
const WIDTH = 100;
const OPEN = { '{}': ['{', '}'], '[]': ['[', ']'] } as const;

/** A value as a text of bounded length, as a debugger shows it. Runs no code of the program. */
export function formatValue(value: unknown, options: FormatOptions): string {
  const full = { depth: 4, length: 16_000, items: 100, characters: 4000, ...options };
  const state = { options: full, left: full.length, path: [], nodes: 5000 };
  const text = full.mask.text(format(value, 0, state));
  return text.length > full.length ? `${headOf(text, full.length)}… (cut)` : text;
}

function format(value: unknown, level: number, state: State): string {
  if (typeof value === 'string') return spend(quote(value, state.options), state);
  if (typeof value === 'object' && value !== null && state.path.includes(value)) return spend('[Circular]', state);
  const found = describeValue(value);
  const prefix =
    found.text ?? (found.type === 'Object' || found.type === 'Array' ? '' : toTitle(found.type, found.size));
  if (!found.brackets) return spend(state.options.mask.text(prefix), state);
  const [open, close] = OPEN[found.brackets];
  const head = prefix === '' ? open : `${spend(state.options.mask.text(prefix), state)} ${open}`;
  if (found.total === 0) return spend(head + close, state);
  if (level >= state.options.depth || state.left <= 0 || state.nodes <= 0)
    return spend(found.size === undefined ? `[${found.type}]` : `[${found.type}(${found.size})]`, state);
  if (typeof value === 'object' || typeof value === 'function') state.path.push(value as object);
  const items: string[] = [];
  let shown = 0;
  for (const part of found.parts(state.options.items)) {
    if (state.left <= 0 || state.nodes-- <= 0) break;
    items.push(formatPart(part, level, { state, isList: found.brackets === '[]' || found.type === 'Set' }));
    shown++;
  }
  state.path.pop();
  if (found.total > shown) items.push(`… ${found.total - shown} more`);
  const line = `${head} ${items.join(', ')} ${close}`;
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  const indent = '  '.repeat(level + 1);
  return `${head}\n${items.map((item) => `${indent}${item},\n`).join('')}${'  '.repeat(level)}${close}`;
}

function toTitle(type: string, size: number | undefined): string {
  return size === undefined || !/Array$|^Map$|^Set$|^Buffer$/.test(type) ? type : `${type}(${size})`;
}

function formatPart(part: Part, level: number, { state, isList }: { state: State; isList: boolean }): string {
  const text = part.note ?? (isSecret(part, state.options.mask) ? MASKED : format(part.value, level + 1, state));
  if (isList && /^\[\d+\]$/.test(part.name)) return text;
  return `${spend(state.options.mask.text(part.name), state)}: ${text}`;
}

/** A value that a secret name covers: a function and a flag say nothing. */
export function isSecret(part: Part, mask: Mask): boolean {
  const { key, value } = part;
  if (key === undefined || value === undefined || value === null || value === '') return false;
  if (typeof value === 'boolean' || typeof value === 'function') return false;
  if (typeof value === 'string' && isWorkingFolder(key, value)) return false;
  return mask.isSecretName(key);
}

function spend(text: string, state: State): string {
  state.left -= text.length + 2;
  return text;
}

/** A text in quotes, masked before it is cut. */
function quote(text: string, { mask, characters }: { mask: Mask; characters: number }): string {
  const masked = mask.text(text.length > characters + MARGIN ? headOf(text, characters + MARGIN) : text);
  const shown = headOf(masked, characters);
  const json = JSON.stringify(shown);
  const quoted = shown.includes('"') && !shown.includes("'") ? `'${json.slice(1, -1).replaceAll('\\"', '"')}'` : json;
  return text.length > characters ? `${quoted}… (${text.length} characters)` : quoted;
}

/** One line of at most 200 characters. */
function previewValue(value: unknown, mask: Mask): string {
  const text = formatValue(value, { mask, depth: 1, length: 400, items: 8, characters: 120 }).replaceAll(/\s+/g, ' ');
  return text.length > 200 ? `${headOf(text, 199)}…` : text;
}

/** A part as a node with `depth` levels of children. */
export function toValueNode(
  part: Part,
  path: string,
  { mask, depth, nodes = { left: 500 } }: { mask: Mask; depth: number; nodes?: { left: number } },
): ValueNode {
  nodes.left--;
  const name = mask.text(part.name);
  if (part.note !== undefined) return { name, type: 'unknown', preview: part.note };
  const found = describeValue(part.value);
  if (isSecret(part, mask)) return { name, type: found.type, preview: MASKED };
  const node: ValueNode = {
    name,
    type: found.type,
    preview: previewValue(part.value, mask),
    ...(found.size === undefined ? {} : { size: found.size }),
  };
  if (typeof part.value === 'string' && part.value.length > 100) node.path = path;
  if (found.total === 0) return node;
  node.path = path;
  if (depth <= 0 || nodes.left <= 0) return node;
  const parts = found.parts(Math.min(50, nodes.left));
  node.children = parts.map((child) => toValueNode(child, path + child.step, { mask, depth: depth - 1, nodes }));
  if (found.total > parts.length) node.omitted = found.total - parts.length;
  return node;
}
