import type { UserGit } from '../ports/tools/user-git.ts';
import type { EventOf, FileChange, Remembered, Reserved, RunnerName, SandboxName } from '../../protocol/index.ts';
import type { ConfiguredHosts, HostRule, NameComparison, Redactor, Rule } from '../../policy/index.ts';
import type { Agents } from '../ports/agents.ts';
import type { OpenChild } from '../ports/children.ts';
import type { Clock } from '../ports/clock.ts';
import type { HostFiles } from '../host/host-files.ts';
import type { EditorBuffers } from '../ports/editor-buffers.ts';
import type { FindCommitted, JudgeContents } from '../ports/committed-files.ts';
import type { Ids } from '../ports/ids.ts';
import type { Knowledge } from '../ports/memory.ts';
import type { Recall } from '../ports/recall.ts';
import type { Layers } from '../ports/layer.ts';
import type { ModelFailure, Models } from '../ports/model.ts';
import type { Processes, ProcessStatus } from '../ports/processes.ts';
import type { Runner } from '../ports/runner.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SecretSource } from '../ports/secrets.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { Store } from '../ports/store.ts';
import type { ToolContext } from '../ports/tool.ts';
import type { SessionTools, SessionToolsHost } from '../ports/session-tools.ts';
import type { NetworkProxy, WebClient } from '../ports/web-client.ts';
import type { Folder, Workspace } from '../ports/workspace.ts';
import type { Diagnostics, DiagnosticsOptions } from '../diagnostics/diagnostics.ts';
import type { Formatter, FormatterOptions } from '../formatting/formatter.ts';
import type { HookHost } from '../hooks/hooks.ts';
import type { Skills } from '../skills/skills.ts';
import type { EngineSettings } from './settings.ts';
import type { ToolRegistry } from '../calls/tool-registry.ts';

/** A commit of the workspace on a private ref. */
export interface Checkpoint {
  ref: string;
  commit: string;
  /** Files that differ from HEAD. */
  files: number;
  /** Files that were left out because they contain secrets. */
  leftOut: string[];
  /** New files that were left out because they are large or binary; snapshots contain them. Absent if there are none. */
  large?: string[];
}

/** The result of a checkpoint. `last` is the last one, if there was nothing to commit. */
export type CheckpointResult = Checkpoint | { skipped: string; last?: Checkpoint };

/** Which files of a workspace are secret. */
export interface SecretOptions {
  /** The user's own globs. */
  patterns: readonly string[];
  /** Globs of files that a policy hides. */
  hidden: readonly string[];
  /** Absolute paths of readable folders outside the workspace. */
  readable?: readonly string[];
}

/** The sandbox of a session's commands. */
export interface SandboxRequest {
  /** Absent: the best one that works, which is never `host`. */
  name?: SandboxName;
  workspace: string;
  /** Absolute paths of further folders that commands see. Default: none. */
  beside?: readonly string[];
  /** The session whose home folder commands get. Absent: a new folder. */
  session?: string;
  /** Names of variables of the user that commands get, in addition to those of the settings. Default: none. */
  variables?: readonly string[];
  /** Absolute paths of files to hide; called for every command. */
  masks: () => Promise<readonly string[]>;
  /** Further absolute paths of existing files that no command may change. Asked before each command. Default: none. */
  protect?: () => Promise<readonly string[]>;
}

/** A session that may change files in the same folders. */
export interface ActiveSession {
  id: string;
  /** The session that started it. */
  parent?: string;
}

/** The ports of the loop. */
export interface Engine {
  readonly store: Store;
  readonly models: Models;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: EngineSettings;
  /**
   * Decides about a request whose reservation is in the log, by limits beyond the session, such as that of all sessions of
   * a project. A failure refuses the request, which is then not sent. Default: every request is sent.
   */
  readonly admit?: (session: string, reserved: Reserved) => Promise<ModelFailure | undefined>;
  /** Klaus's own state folder, which no call may access. */
  readonly home: string;
  /** Absolute paths outside of it to which its entries are links now, and the links that lead to it. Default: none. */
  linkedState?(): readonly string[];
  /** Files of the machine, for commands without a sandbox. Absent: their scripts are not judged. */
  readonly hostFiles?: HostFiles;
  /**
   * How names are compared in these folders and in what is mounted below them: `folded` if one of their file systems takes
   * two names for the same file, or cannot be asked. It asks each mount once.
   *
   * @param folders Absolute real paths.
   */
  compareNames(folders: readonly string[]): NameComparison;
  /** @throws KlausError `workspace.*`. */
  openWorkspace(root: string): Promise<Workspace>;
  /**
   * @param path Absolute real path of a folder that is only read.
   * @throws KlausError `workspace.missing` also if it was replaced by a symlink.
   */
  openFolder(path: string): Promise<Folder>;
  /** The editor of a session. Absent: no session has one. */
  openBuffers?(session: string): EditorBuffers | undefined;
  /** The user's own instructions for every project, if there are any. */
  readOwnInstructions(): Promise<{ path: string; text: string } | undefined>;
  /** Fast: the first `exec` starts the driver. */
  openSandbox(options: SandboxRequest): Promise<Sandbox>;
  /**
   * Opens a child session; does nothing if it exists.
   *
   * @throws KlausError `workspace.conflict` if the definition of its agent has changed, `usage`, `config`, `model.unknown`.
   */
  openChild(request: OpenChild): Promise<void>;
  /** What drives the agents of sessions that Klaus's own loop does not. Loaded at its first use. */
  openRunner(name: RunnerName): Promise<Runner>;
  /** A web client for the tools, limited to these hosts. */
  openWeb(rules: readonly HostRule[]): WebClient;
  /** A proxy for programs of the tools outside of the sandbox, limited to these hosts. */
  openProxy(rules: readonly HostRule[]): Promise<NetworkProxy>;
  /** Git as the user has configured it. */
  readonly userGit: UserGit;
  /** The registries of packages that the user configured. */
  registries(): ConfiguredHosts;
  /** A credential of the user by the variable that holds it; undefined if it is not set. */
  findSecret(name: string): string | undefined;
  /** The tools of the MCP servers of a session. Starts nothing. Absent: no session has such tools. */
  openSessionTools?(opened: EventOf<'session.opened'>, host: SessionToolsHost): SessionTools;
  /** The defined agents. @param workspace Absolute real path. */
  openAgents(workspace: string): Agents;
  /** The skills that a session may load. @param workspace Absolute real path. */
  openSkills(workspace: string): Skills;
  /** The knowledge about a workspace. @param workspace Absolute real path. */
  openKnowledge(workspace: string): Knowledge;
  /** The text of a session's log, including messages that are no longer in its context. */
  openRecall(session: string): Recall;
  openProcesses(session: string): Processes;
  /** The background processes of all sessions, including ended ones. */
  listProcesses(): ProcessStatus[];
  createRedactor(session: string): Redactor;
  openSnapshots(root: string): Promise<Snapshots>;
  /** The layers on which commands write without changing the workspace. */
  openLayers(root: string): Promise<Layers>;
  openSecrets(root: string, options: SecretOptions): SecretSource;
  /** Approvals for all sessions of this agent in this workspace. */
  remembered(workspace: string, agent: string): Promise<readonly Remembered[]>;
  /**
   * Changes of calls of all sessions in a workspace (absolute real path) that had not ended at a time, or that began
   * later, as far as their tools report changes; and those in working copies that were merged into it since then. The
   * gate had allowed them.
   *
   * @param since Unix milliseconds.
   */
  editsSince(workspace: string, since: number): Promise<readonly FileChange[]>;
  /**
   * Sessions in folders that overlap with these, with an open run or an event at or after a time. Absent: no others are
   * known.
   *
   * @param folders Absolute real paths.
   * @param since Unix milliseconds.
   */
  sessionsIn?(folders: readonly string[], since: number): Promise<readonly ActiveSession[]>;
  /**
   * Paths that Git runs or obeys by configuration outside of the workspace: that of the user, and for a working copy that
   * of its repository. Relative to the workspace; they need not exist.
   *
   * @param tops Folders of the workspace that have repositories, relative to it.
   */
  configuredPlaces(workspace: string, tops: readonly string[]): Promise<readonly string[]>;
  /** True for a working copy that needs its ref `refs/klaus/copies/NAME`: it is complete, and has not ended. */
  hasCopy(name: string): Promise<boolean>;
  /** Language servers. Absent: there are none. */
  openDiagnostics?(options: DiagnosticsOptions): Promise<Diagnostics>;
  /** The formatters that the project configures. Absent: there are none. */
  openFormatter?(options: FormatterOptions): Promise<Formatter>;
  /** For hooks of URLs, and the user's folders with scripts of hooks. Absent: hooks of URLs fail. */
  readonly hooks?: HookHost;
  /** Additional rules of the gate, such as the user's policy. */
  readonly rules: readonly Rule[];
  checkpoint(context: ToolContext, message: string): Promise<CheckpointResult>;
  /** Finds the changes of a checkout of known commits. */
  readonly findCommitted: FindCommitted;
  /** Finds new content at protected places in git's own data. */
  readonly judgeContents: JudgeContents;
  /** The paths that Git ignores. @param paths Relative to the workspace; a folder ends with a slash. */
  findIgnored(context: ToolContext, paths: readonly string[]): Promise<ReadonlySet<string>>;
}
