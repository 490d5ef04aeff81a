import { TOOL_MARKERS } from '@klaus/core/policy';
import type { TreeChange } from '@klaus/core/protocol';
import { joinNames } from '../../path-entry.ts';
import type { Objects } from '../objects/objects.ts';
import { toTreeEntry, type Node } from '../tree.ts';
import type { Trees } from '../trees.ts';

/**
 * The rows that remove, from a state, files whose content is not stored. In a folder with a marker of a tool they remove
 * the folder, so that none of its parts remain.
 */
export function findUnstored(store: { trees: Trees; objects: Objects }, root: Buffer): TreeChange[] {
  return findIn(store, { hash: root, path: '' });
}

function findIn(store: { trees: Trees; objects: Objects }, at: { hash: Buffer; path: string }): TreeChange[] {
  const rows: TreeChange[] = [];
  for (const node of store.trees.nodes(at.hash)) {
    const path = joinNames(at.path, node.name);
    if (node.type !== 'directory') {
      if (!store.objects.has(node.hash)) rows.push(toRemoval(path, node));
      continue;
    }
    const below = findIn(store, { hash: node.hash, path });
    // What is left out of a folder below says nothing about this one.
    const isMarked =
      below.some(({ before }) => before?.type !== 'directory') && isToolFolder(node.name, store.trees.nodes(node.hash));
    rows.push(...(isMarked ? [toRemoval(path, node)] : below));
  }
  return rows;
}

function isToolFolder(name: string, nodes: readonly Node[]): boolean {
  return nodes.some((node) => {
    if (node.type !== 'file' || !TOOL_MARKERS.has(node.name)) return false;
    const of = TOOL_MARKERS.get(node.name);
    return of === undefined || of === name;
  });
}

function toRemoval(path: string, node: Node): TreeChange {
  return { path, kind: 'deleted', before: toTreeEntry(node), after: null };
}
