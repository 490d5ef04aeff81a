import type { Copies } from '@klaus/adapters/workspace';
import type { EventOf } from '@klaus/core/protocol';

type CopyRecord = ReturnType<Copies['list']>[number];

/** A private clone of a repository, which a session owns. Paths are absolute. */
export interface WorkingCopy extends Pick<CopyRecord, 'session' | 'repository' | 'path' | 'branch' | 'base'> {
  /** Last part of its path and its branch; it names the copy like the id of its session. */
  name: string;
  /** The branch into which it is merged by default; null if it started at a detached HEAD. */
  target: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** The session was deleted. */
  isOrphaned: boolean;
  /**
   * `clean`: no changes. `changed`: uncommitted changes. `ahead`: only commits. `merged`: the target has its changes, also
   * by a squash. `gone`: its folder was deleted. `unreadable`: Git cannot read it. `unfinished`: it is being created or
   * removed, or a process that did so was killed.
   */
  state: 'clean' | 'changed' | 'ahead' | 'merged' | 'gone' | 'unreadable' | 'unfinished';
  /** Commits that the target does not have. */
  ahead: number;
  /** Files with uncommitted changes. */
  changes: number;
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** One place that both sides changed. */
export interface MergeHunk {
  /** First line in the file with both texts, from 1. */
  line: number;
  target: string;
  base: string;
  copy: string;
}

export interface MergeConflict {
  path: string;
  /** Git's messages, such as that one side deleted the file. */
  messages: readonly string[];
  /** Empty for a conflict without lines, and for a file with secrets. */
  hunks: readonly MergeHunk[];
  /** The sides that have a file at this path. Without one, only an edit in the copy solves the conflict. */
  sides: readonly MergeSide[];
}

/** The branch of the repository, or the working copy. */
export type MergeSide = 'target' | 'copy';

/**
 * How the conflict of one file is solved: each hunk with the text of one side, those of both (that of the branch first)
 * or another text; or with the file as one side has it. A side without the file deletes it.
 */
export type FileSolution = { path: string } & (
  | { hunks: readonly (MergeSide | 'both' | { text: string })[]; side?: undefined }
  | { side: MergeSide; hunks?: undefined }
);

/** The solution of reported conflicts. It is refused (`copy.blocked`) if a commit has changed since. */
export interface MergeSolution {
  /** As reported. */
  target: string;
  head: string;
  /** One for a merge and a squash. A rebase has one for each commit with conflicts, which `at` names. */
  steps: readonly { at?: string; files: readonly FileSolution[] }[];
}

export type MergedCopy =
  | {
      done: true;
      session: string;
      how: EventOf<'workingCopy.ended'>['how'];
      commit: string;
      into: string;
      /** Submodules of the repository whose recorded commit changed. */
      submodules: readonly string[];
      /** The rules of Git that the commits do not follow, such as a missing signature, as sentences. */
      notes: readonly string[];
      /** Refs of the repository with commits of other branches of the copy. */
      saved: readonly string[];
    }
  /**
   * Nothing was changed. `target`, `head`: the commits of the branch and of the copy. `at`: the commit that could not be
   * applied to the branch.
   */
  | {
      done: false;
      session: string;
      into: string;
      target: string;
      head: string;
      conflicts: readonly MergeConflict[];
      at?: string;
    };

/** A working copy with its changes, committed or not. */
export interface CopyDiff {
  copy: WorkingCopy;
  /** The commit that it has in common with its branch. */
  base: string;
  files: Awaited<ReturnType<Copies['diff']>>['files'];
}

export interface MergeOptions {
  /** Default `merge`. */
  method?: MergeMethod;
  /** A local branch of the repository. Default: the one from which the copy started. */
  into?: string;
  /** Message of the commits that Klaus makes. Default: the title of the session. */
  message?: string;
  /** Default: none, and conflicts are reported. */
  solution?: MergeSolution;
}

/** A merge in the copy whose conflicts are to be solved in its files. */
export interface OpenConflicts {
  session: string;
  /** The folder of the copy. */
  path: string;
  files: readonly string[];
  /** A prompt for an agent that solves them. */
  prompt: string;
}

/** Branch and texts of a pull request. */
export interface PullRequest {
  session: string;
  /** The folder from which the branch is pushed. */
  path: string;
  repository: string;
  branch: string;
  target: string | null;
  commit: string;
  title: string;
  /** Markdown. */
  body: string;
}

/**
 * The working copies of all sessions. A copy is named by the id of its session, a unique prefix of it, or its name.
 *
 * Each method first completes what killed processes have left. A copy is changed by one process at a time, and not while
 * a process works on its session (`store.busy`). Other errors: `copy.missing` for an unknown or deleted copy,
 * `copy.blocked` with what has to be done first.
 */
export interface WorkingCopies {
  list(): Promise<WorkingCopy[]>;
  /** The repository of the copy that contains a folder; undefined for any other folder. @param path Absolute real path. */
  repositoryOf(path: string): string | undefined;
  /** The repository of a copy, also of one that has ended; undefined for an unknown one. */
  findRepository(name: string): Promise<string | undefined>;
  /** The changes against the branch. It can be read while a process works in the copy. */
  diff(name: string): Promise<CopyDiff>;
  /**
   * Commits the uncommitted changes of the copy, brings its commits into a branch of the repository, and removes the copy.
   * A branch that is checked out is moved forward together with its files. With a conflict nothing changes.
   */
  merge(name: string, options?: MergeOptions): Promise<MergedCopy>;
  /** Merges the branch of the repository into the copy, so that its files show the conflicts. */
  showConflicts(name: string, options?: Pick<MergeOptions, 'into' | 'message'>): Promise<OpenConflicts>;
  /**
   * Creates the branch of the copy in the repository, with the uncommitted changes as a commit, and removes the copy. For a
   * discarded copy, named by its session, it creates the branch from the changes that were saved.
   */
  keep(
    name: string,
    options?: Pick<MergeOptions, 'message'>,
  ): Promise<{ session: string; branch: string; commit: string; notes: readonly string[] }>;
  /**
   * Removes the copy. Its changes are saved on private refs of the repository.
   *
   * @param options.force The changes are not saved. Default false.
   * @returns The refs.
   */
  discard(name: string, options?: { force?: boolean }): Promise<{ session: string; saved: readonly string[] }>;
  /**
   * Removes copies of deleted sessions, and merged ones without uncommitted changes. Changes are saved as by `discard`.
   *
   * @returns The copies, with the refs of each.
   */
  clean(options?: { dryRun?: boolean }): Promise<(WorkingCopy & { saved: readonly string[] })[]>;
  /**
   * Deletes the refs with saved changes that are older than 30 days, in the repository of a folder.
   *
   * @returns The refs. @throws KlausError `copy.refused` outside of a repository.
   */
  prune(folder: string, options?: { dryRun?: boolean }): Promise<readonly string[]>;
  /** Commits the uncommitted changes of the copy, and writes the texts of a pull request from the log. */
  pullRequest(name: string, options?: Pick<MergeOptions, 'into' | 'message'>): Promise<PullRequest>;
}

/** What a client of a server can do with working copies too. */
export type CopiesClient = Omit<WorkingCopies, 'repositoryOf' | 'findRepository' | 'prune'>;
