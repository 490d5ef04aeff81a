import type { ValueNode } from '../contract/index.ts';

/** A recorded value as plain data: objects, lists, Maps and Sets; what has no such form is its text. */
export function toPlain(node: ValueNode): unknown {
  const { type, preview, children } = node;
  if (type === 'string') return toText(preview);
  if (type === 'number') return Number(preview);
  if (type === 'boolean') return preview === 'true';
  if (type === 'bigint' && /^-?\d+n$/.test(preview)) return BigInt(preview.slice(0, -1));
  if (type === 'null') return null;
  if (type === 'undefined') return undefined;
  if (type === 'Date' && preview !== 'Invalid Date') return new Date(preview);
  if (!children) return toLeaf(node);
  if (type === 'Map') return new Map(children.map((child) => [toKey(child.name), toPlain(child)]));
  if (type === 'Set') return new Set(children.map(toPlain));
  const isList = children.every(({ name }) => /^\[\d+\]$/.test(name));
  if (isList) return children.map(toPlain);
  return Object.fromEntries(children.map((child) => [String(toKey(child.name)), toPlain(child)]));
}

function toLeaf({ type, preview, size }: ValueNode): unknown {
  if (size === 0 && type.endsWith('Array')) return [];
  if (size === 0 && type === 'Map') return new Map();
  if (size === 0 && type === 'Set') return new Set();
  if (preview === '{}') return {};
  return preview;
}

/** A text as it was, or up to where the record cut it. */
function toText(preview: string): string {
  const text = preview.replace(/(["'])… \(\d+ characters\)$/, '$1');
  if (text.startsWith("'") && text.endsWith("'")) return toText(`"${text.slice(1, -1).replaceAll('"', '\\"')}"`);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

function toKey(name: string): unknown {
  if (name.startsWith('"')) return toText(name);
  return /^-?\d+(?:\.\d+)?$/.test(name) ? Number(name) : name;
}
