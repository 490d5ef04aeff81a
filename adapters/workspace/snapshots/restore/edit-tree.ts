import type { Batch } from '../objects/batch.ts';
import type { Yielder } from '../../yielder.ts';
import { compareNames, encodeTree, EMPTY, type Node } from '../tree.ts';
import type { Trees } from '../trees.ts';

/**
 * What to put at a path; null takes away what is there. A directory without a hash keeps what is in it, or is empty
 * when it is new.
 */
export type TreeEdit = (Omit<Node, 'name' | 'hash'> & { hash: Buffer | undefined }) | null;

interface Tools {
  trees: Trees;
  batch: Batch;
  yielder: Yielder;
}

interface Branch {
  edit?: TreeEdit;
  children: Map<string, Branch>;
}

/** Mode of a directory that stands only because something is in it. */
export const NEW_DIRECTORY_MODE = 0o755;

/** A state with some paths changed. Only the directory objects on the way to them are made anew. */
export async function editTree(tools: Tools, base: Buffer, edits: ReadonlyMap<string, TreeEdit>): Promise<Buffer> {
  const top: Branch = { children: new Map() };
  for (const [path, edit] of edits) {
    let branch = top;
    for (const name of path.split('/')) {
      let next = branch.children.get(name);
      if (!next) branch.children.set(name, (next = { children: new Map() }));
      branch = next;
    }
    branch.edit = edit;
  }
  return rebuild(tools, base, top);
}

async function rebuild(tools: Tools, base: Buffer, branch: Branch): Promise<Buffer> {
  if (tools.yielder.due) await tools.yielder.yield();
  const nodes = new Map(tools.trees.nodes(base).map((node) => [node.name, node]));
  for (const [name, child] of branch.children) {
    const node = await toNode(tools, { name, old: nodes.get(name), branch: child });
    if (node) nodes.set(name, node);
    else nodes.delete(name);
  }
  const sorted = [...nodes.values()].toSorted((a, b) => compareNames(a.name, b.name));
  return tools.batch.tree(encodeTree(sorted));
}

async function toNode(
  tools: Tools,
  at: { name: string; old: Node | undefined; branch: Branch },
): Promise<Node | undefined> {
  const { name, old, branch } = at;
  const kept = old?.type === 'directory' ? old.hash : EMPTY;
  const wanted = branch.edit === undefined ? old : branch.edit === null ? undefined : { name, ...branch.edit };
  if (wanted?.type === 'directory') {
    const hash = wanted.hash ?? kept;
    return { ...wanted, hash: branch.children.size === 0 ? hash : await rebuild(tools, hash, branch) };
  }
  // Something is to stand below: then a directory must stand here.
  if (branch.children.size > 0 && holdsSomething(branch)) {
    const hash = await rebuild(tools, EMPTY, branch);
    return { name, type: 'directory', mode: NEW_DIRECTORY_MODE, size: 0, hash };
  }
  return wanted && { ...wanted, hash: wanted.hash ?? EMPTY };
}

function holdsSomething(branch: Branch): boolean {
  return [...branch.children.values()].some((child) => (child.edit ?? null) !== null || holdsSomething(child));
}
