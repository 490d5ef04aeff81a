/** A part of a tree as it is shown. */
export interface TreeNode {
  name: string;
  text: string;
  /** Small words behind the text. */
  notes: string[];
  isMuted?: boolean;
  children?: TreeNode[];
  /** Children that are not in the tree. */
  omitted?: number;
}

/** Children that are shown at first, and each time that more are requested. */
export const PAGE = 100;

/** One visible line of a tree. */
export interface TreeRow {
  /** Position in the tree, such as `0.3`. Unique in the tree. */
  key: string;
  /** From 1. */
  level: number;
  /** From 1, with the number of its siblings. */
  position: number;
  siblings: number;
  /** `more`: a line that shows further children. `omitted`: children that are not there. */
  kind: 'node' | 'more' | 'omitted';
  node?: TreeNode;
  /** Of a node with children. */
  isOpen?: boolean;
  /** Of `more` and `omitted`. */
  count?: number;
}

/** What the user has opened: the keys of open nodes, with the number of their children that are shown. */
export type OpenNodes = ReadonlyMap<string, number>;

/** The key of the tree itself. */
export const ROOT = '';

/** The visible lines. Nodes below a closed one are not visited. */
export function toRows(nodes: readonly TreeNode[], open: OpenNodes): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: Pick<TreeNode, 'children' | 'omitted'>, parentKey: string, level: number): void => {
    const { children = [], omitted = 0 } = parent;
    const shown = Math.min(children.length, open.get(parentKey) ?? PAGE);
    const hidden = children.length - shown;
    const siblings = shown + (hidden > 0 || omitted > 0 ? 1 : 0);
    for (const [at, node] of children.slice(0, shown).entries()) {
      const key = parentKey === ROOT ? `${at}` : `${parentKey}.${at}`;
      const canOpen = (node.children?.length ?? 0) > 0 || (node.omitted ?? 0) > 0;
      const isOpen = canOpen && open.has(key);
      rows.push({ key, level, position: at + 1, siblings, kind: 'node', node, ...(canOpen && { isOpen }) });
      if (isOpen) add(node, key, level + 1);
    }
    const last = { level, position: siblings, siblings };
    if (hidden > 0) rows.push({ ...last, key: `${parentKey}+`, kind: 'more', count: hidden });
    else if (omitted > 0) rows.push({ ...last, key: `${parentKey}-`, kind: 'omitted', count: omitted });
  };
  add({ children: [...nodes] }, ROOT, 1);
  return rows;
}

/** The key of the node around a row. */
export function toParent({ key, kind }: TreeRow): string {
  if (kind !== 'node') return key.slice(0, -1);
  return key.slice(0, Math.max(0, key.lastIndexOf('.')));
}
