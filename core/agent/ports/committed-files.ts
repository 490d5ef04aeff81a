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

/** A file, a symlink or the commit of a nested repository in a commit or an index. */
export interface ContentEntry {
  path: string;
  /** In octal, such as `100644`. */
  mode: string;
  /** Object id. */
  blob: string;
}

/** What the indexes of a repository have. */
export interface IndexContents {
  /** Entries to be judged. */
  entries: readonly ContentEntry[];
  /** False: the entries of the present index are judged too, as Git reads it. */
  isComplete: boolean;
}

/** A query about the content that git's own data names. */
export interface ContentQuery {
  /** The top folder of the working tree, relative to the workspace; '' is the workspace. */
  repository: string;
  /** The git folder, relative to the workspace, such as `.git` or `.git/modules/lib`. */
  gitFolder: string;
  /** Object ids whose complete history is known. */
  known: readonly string[];
  /** The same, read only if the others do not have the content: many old ids. */
  further: readonly string[];
  /** Object ids, possibly shortened, to be judged. */
  tips: readonly string[];
  /** A promise is awaited while Git reads the tips. */
  indexes: IndexContents | Promise<IndexContents>;
  /** Content of files in the working tree; `isGone` marks one that is not there any more. */
  files: readonly { path: string; mode: string; content: Uint8Array; isGone: boolean }[];
  /** True for an entry that needs to be known. */
  isPlace(path: string, mode: string): boolean;
  /** True for new content that was approved. @param content Undefined if it is too large or missing. */
  accepts(entry: ContentEntry, content: Uint8Array | undefined): Promise<boolean>;
}

export interface JudgedContents {
  /** New content by the tips, as they were named, whose history has it. */
  carried: ReadonlyMap<string, readonly ContentEntry[]>;
  /** Entries of the indexes that are new. */
  unknown: readonly ContentEntry[];
  /** Paths of the files that are known or accepted; of those that are gone, the ones that a new commit contains. */
  found: ReadonlySet<string>;
  /** Complete ids of the tips. */
  named: ReadonlyMap<string, string>;
}

/**
 * Judges content at protected places that commits, tags and the index name: it is known if a known commit has it at the
 * same path with the same mode. Git runs in the sandbox, without replacements, grafts and programs that the repository
 * names.
 *
 * @throws KlausError if Git cannot read the objects; then everything counts as new.
 */
export type JudgeContents = (
  context: Pick<ToolContext, 'workspace' | 'sandbox' | 'signal'>,
  query: ContentQuery,
) => Promise<JudgedContents>;
