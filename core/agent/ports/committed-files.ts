import type { TreeEntry } from '../../protocol/index.ts';
import type { ToolContext } from './tool.ts';

/** What is at a path, with the content of a file or the target of a symlink; null: nothing is there. */
export type PathState = { entry: TreeEntry; content?: Uint8Array } | null;

/** Asks which changes a checkout or a merge of commits that are known brought. */
export interface CommittedQuery {
  /** The folder that holds the repository, relative to the workspace; '' is the workspace. */
  repository: string;
  /** Object id of HEAD now. */
  head: string;
  /** Object id of HEAD before; undefined where there was no commit. */
  previous: string | undefined;
  /** Object ids from which a commit must be reachable to count. */
  known: readonly string[];
  /** Changed paths, relative to the folder of the repository. */
  files: readonly { path: string; before: PathState; after: PathState }[];
}

/**
 * The paths whose present state is that of a known commit under HEAD, and that the commit before had otherwise.
 * Runs nothing that the repository names, and believes an object only when its content has its name: what cannot be
 * proven is left out.
 */
export type FindCommitted = (
  context: Pick<ToolContext, 'workspace' | 'sandbox' | 'signal'>,
  query: CommittedQuery,
) => Promise<ReadonlySet<string>>;
