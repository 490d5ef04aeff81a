import type { TreeChange } from '../../protocol/index.ts';

/** New content at protected places in git's own data, and what restores that data. */
export interface Carried {
  /** Rows from the present to the repaired entries. */
  repairs: TreeChange[];
  /** Paths with new content, relative to the workspace. */
  paths: string[];
  /** Where git has it: refs, and the index. */
  holders: string[];
  /** Paths of the index whose flags are cleared. */
  unflagged: string[];
  /** Paths that Git does not compare any more and that are left so. */
  hidden: string[];
  /** The workspace shows other parts of the repository than before. */
  isSparse: boolean;
  /** Changed paths of the workspace whose content is that of a known commit, or is kept in a new one. */
  found: Set<string>;
}
