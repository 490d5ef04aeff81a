import { isBelow } from '../../policy/index.ts';

/** A path in one of several folders. */
export interface MemberPath {
  /** 0 is the workspace. */
  index: number;
  /** Relative to the folder; '' is the folder itself. */
  path: string;
}

/** The absolute path of one that is relative to the workspace, or absolute already. */
export function toAbsolute(workspace: string, path: string): string {
  return path.startsWith('/') ? path : `${workspace}/${path}`;
}

/** Names paths of several folders: relative in the workspace, absolute in every other one. */
export interface Members {
  /** Undefined for an absolute path in none of them. */
  place(path: string): MemberPath | undefined;
  name(at: MemberPath): string;
  /** True for a folder above one of the others: it is there, and no state holds it. */
  isAbove(path: string): boolean;
}

/** @param roots Absolute real paths of the folders beside the workspace; none holds another. */
export function createMembers(roots: readonly string[]): Members {
  return {
    place(path) {
      if (!path.startsWith('/')) return { index: 0, path };
      const at = roots.findIndex((root) => isBelow(path, root));
      return at < 0 ? undefined : { index: at + 1, path: path.slice(roots[at]!.length + 1) };
    },
    name({ index, path }) {
      const root = roots[index - 1];
      if (root === undefined) return path;
      return path === '' ? root : `${root}/${path}`;
    },
    isAbove: (path) => path.startsWith('/') && roots.some((root) => root === path || isBelow(root, path)),
  };
}
