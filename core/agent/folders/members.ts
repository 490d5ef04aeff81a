import { isBelow } from '../../policy/index.ts';

/** A path in one of several folders. */
export interface MemberPath {
  /** 0 is the workspace. */
  index: number;
  /** Relative to the folder; '' is the folder itself. */
  path: string;
}

/** An absolute path from one that is absolute or relative to the workspace. */
export function toAbsolute(workspace: string, path: string): string {
  return path.startsWith('/') ? path : `${workspace}/${path}`;
}

/** Names paths of several folders: relative in the workspace, absolute in every other one. */
export interface Members {
  /** Undefined for an absolute path in none of them. */
  place(path: string): MemberPath | undefined;
  name(at: MemberPath): string;
  /** True for a folder that contains one of the others: it exists, and no state contains it. */
  isAbove(path: string): boolean;
}

/** @param roots Absolute real paths of the folders outside the workspace; none contains another. */
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
