import type { TreeEntry } from '../../protocol/index.ts';
import type { ToolContext } from './tool.ts';

/** The entry at a path, with the content of a file or the target of a symlink; null if there is none. */
export type PathState = { entry: TreeEntry; content?: Uint8Array } | null;

/** A query for the changes of a checkout or a merge of known commits. */
export interface CommittedQuery {
  /** The folder of the repository, relative to the workspace; '' is the workspace. */
  repository: string;
  /** Object id of HEAD now. */
  head: string;
  /** Object id of HEAD before; undefined without a commit. */
  previous: string | undefined;
  /** Object ids from which a commit must be reachable to count. */
  known: readonly string[];
  /** Changed paths, relative to the folder of the repository. */
  files: readonly { path: string; before: PathState; after: PathState }[];
}

/**
 * The paths whose present state is that of a known commit under HEAD and differs from the previous commit. Runs no
 * program that the repository names, and verifies the hash of every object. Paths that cannot be proven are left out.
 */
export type FindCommitted = (
  context: Pick<ToolContext, 'workspace' | 'sandbox' | 'signal'>,
  query: CommittedQuery,
) => Promise<ReadonlySet<string>>;
