import { headOf } from '@klaus/core/cut-text';
import type { TreeNode } from '../debug/tree-rows.ts';

/** A node with its place in the document. */
export interface JsonNode extends TreeNode {
  /** Such as `$.items[0]["a b"]`. */
  path: string;
}

/** Characters of a value in its line. */
const MAX_VALUE = 400;
/** Levels that can be opened. */
const MAX_DEPTH = 100;

/** The nodes of a value. Children are made when they are read, because a document can have a million of them. */
export function toJsonNodes(value: unknown): JsonNode[] {
  return isParent(value) ? [...toChildren(value, '$', 0)] : [toNode('$', value, { path: '$', depth: 0 })];
}

type Parent = Record<string, unknown> | unknown[];

function isParent(value: unknown): value is Parent {
  return typeof value === 'object' && value !== null;
}

function toChildren(parent: Parent, path: string, depth: number): JsonNode[] {
  return Array.isArray(parent)
    ? parent.map((value, at) => toNode(`${at}`, value, { path: `${path}[${at}]`, depth }))
    : Object.entries(parent).map(([name, value]) => toNode(name, value, { path: toMember(path, name), depth }));
}

function toNode(name: string, value: unknown, { path, depth }: { path: string; depth: number }): JsonNode {
  if (!isParent(value)) return { name, text: headOf(JSON.stringify(value) ?? '', MAX_VALUE), notes: [], path };
  const size = Object.keys(value).length;
  const text = Array.isArray(value) ? `[${size}]` : `{${size}}`;
  const node: JsonNode = { name, text, notes: [], path };
  if (size === 0 || depth >= MAX_DEPTH) return node;
  let children: JsonNode[] | undefined;
  Object.defineProperty(node, 'children', {
    enumerable: true,
    get: () => (children ??= toChildren(value, path, depth + 1)),
  });
  return node;
}

function toMember(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** Matches that a search shows. */
export const MAX_MATCHES = 500;

/** The nodes whose name or value contains the words, with the nodes around them, and how many match. */
export function searchNodes(nodes: readonly JsonNode[], words: string): { nodes: JsonNode[]; count: number } {
  const wanted = words.toLowerCase();
  let count = 0;
  const search = (level: readonly JsonNode[]): JsonNode[] =>
    level.flatMap((node) => {
      if (count >= MAX_MATCHES) return [];
      const isMatch = `${node.name} ${node.children ? '' : node.text}`.toLowerCase().includes(wanted);
      if (isMatch) count += 1;
      const inner = search((node.children ?? []) as JsonNode[]);
      if (!isMatch && inner.length === 0) return [];
      // A match keeps all of its content.
      return [inner.length === 0 ? node : { ...node, children: inner }];
    });
  return { nodes: search(nodes), count };
}
