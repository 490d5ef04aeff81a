import type { Remembered, SandboxName } from '../../protocol/index.ts';
import type { Redactor, Rule } from '../../policy/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { FindCommitted } from '../ports/committed-files.ts';
import type { Ids } from '../ports/ids.ts';
import type { Knowledge } from '../ports/memory.ts';
import type { Recall } from '../ports/recall.ts';
import type { Layers } from '../ports/layer.ts';
import type { Models } from '../ports/model.ts';
import type { Processes, ProcessStatus } from '../ports/processes.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SecretSource } from '../ports/secrets.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { Store } from '../ports/store.ts';
import type { ToolContext } from '../ports/tool.ts';
import type { Folder, Workspace } from '../ports/workspace.ts';
import type { EngineSettings } from './settings.ts';
import type { ToolRegistry } from '../calls/tool-registry.ts';

/** A commit of the workspace on a private ref. */
export interface Checkpoint {
  ref: string;
  commit: string;
  /** Files that differ from HEAD. */
  files: number;
  /** Files kept out because they hold secrets. */
  leftOut: string[];
  /** New files kept out because they are large or binary; they are in snapshots. Absent where there are none. */
  large?: string[];
}

/** What a checkpoint came to; `standing` is the last one, when there was nothing new to commit. */
export type CheckpointResult = Checkpoint | { skipped: string; last?: Checkpoint };

/** Which files of a workspace are secret. */
export interface SecretOptions {
  /** The user's own globs. */
  patterns: readonly string[];
  /** Globs of what a policy hides. */
  hidden: readonly string[];
  /** Absolute paths of folders beside the workspace that may be read. */
  readable?: readonly string[];
}

/** What a session's commands run in. */
export interface SandboxRequest {
  name: SandboxName;
  workspace: string;
  /** Whose home folder commands get. Absent: a new one. */
  session?: string;
  /** Absolute paths of files to hide, asked for every command. */
  masks: () => Promise<readonly string[]>;
}

/** Everything the loop works with: ports, and nothing of any door. */
export interface Engine {
  readonly store: Store;
  readonly models: Models;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: EngineSettings;
  /** Klaus's own state folder, which no call may touch. */
  readonly home: string;
  /** @throws KlausError `workspace.*`. */
  openWorkspace(root: string): Promise<Workspace>;
  /**
   * @param path Absolute real path of a folder that is only read.
   * @throws KlausError `workspace.missing` also where a symlink has taken its place.
   */
  openFolder(path: string): Promise<Folder>;
  /** The user's own instructions for every project, where there are any. */
  readOwnInstructions(): Promise<{ path: string; text: string } | undefined>;
  /** Cheap: the driver is started by the first exec. */
  openSandbox(options: SandboxRequest): Promise<Sandbox>;
  /** What is remembered about a workspace (absolute real path). */
  openKnowledge(workspace: string): Knowledge;
  /** The text of a session's log, also of what no longer is in its context. */
  openRecall(session: string): Recall;
  /** The background processes of a session. */
  openProcesses(session: string): Processes;
  /** Those of all sessions, ended ones included. */
  listProcesses(): ProcessStatus[];
  createRedactor(session: string): Redactor;
  /** The states that the workspace had, for undo. */
  openSnapshots(root: string): Promise<Snapshots>;
  /** Places where a command may write without touching the workspace. */
  openLayers(root: string): Promise<Layers>;
  /** @param patterns Further globs of secret files, relative to the root. */
  openSecrets(root: string, options: SecretOptions): SecretSource;
  /** Approvals that were given for every session of this agent on this workspace. */
  remembered(workspace: string, agent: string): Promise<readonly Remembered[]>;
  /** Rules beside those that are always there, such as the user's policy. */
  readonly rules: readonly Rule[];
  /** Commits the workspace to its private ref. */
  checkpoint(context: ToolContext, message: string): Promise<CheckpointResult>;
  /** Which changes a checkout of known commits brought. */
  readonly findCommitted: FindCommitted;
  /** Which of the paths, relative to the workspace, a folder's with a slash behind it, Git ignores by the rules of now. */
  findIgnored(context: ToolContext, paths: readonly string[]): Promise<ReadonlySet<string>>;
}
