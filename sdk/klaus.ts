import type { FileLock } from '@klaus/adapters/store';
import type {
  Agents,
  ApprovalRow,
  ClearFilter,
  ClearReport,
  Knowledge,
  MessageHit,
  ProcessStatus,
  SessionFilter,
  SessionRow,
  ViewedStore,
  Skills,
  Store,
  StoreQueries,
  Tool,
} from '@klaus/core/agent';
import type { Policy } from '@klaus/core/policy';
import type { Effect, EventOf, HostEvent, HostEventBody, Mode, SandboxName } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';
import type { UserSettings } from './config/setting-details.ts';
import type { ModeQueries } from './config/start-mode.ts';
import type { WorkingCopies } from './copies/working-copy.ts';
import type { Finding } from './diagnose/finding.ts';
import type { SandboxStart } from './engine/observe-sandbox.ts';
import type { GcSummary } from './engine/snapshots.ts';
import type { ExportedTest } from './export/export-test.ts';
import type { GivenCall } from './grants/call-text.ts';
import type { ExplainOptions, Explanation, JudgedCommand } from './grants/explain.ts';
import type { OpenOptions } from './klaus-options.ts';
import type { KnownModel } from './models/known-models.ts';
import type { McpConfiguration } from './mcp/mcp-configuration.ts';
import type { LocalServers } from './models/local-servers.ts';
import type { ModelServers } from './models/model-servers.ts';
import type { KeyStore } from './models/provider-keys.ts';
import type { BackgroundProcess } from './sessions/background-processes.ts';
import type { Fork, ForkOptions } from './sessions/fork-session.ts';
import type { LatestOptions } from './sessions/latest-session.ts';
import type { AnswerOptions } from './sessions/question.ts';
import type { Session } from './sessions/session-handle.ts';
import type { UsageReport } from './sessions/usage-report.ts';
import type { ShareOptions } from './share/share-session.ts';
import type { WorkspaceFiles } from './workspace/workspace-files.ts';

export interface Klaus extends ModeQueries {
  readonly home: string;
  /** Of the folder of this process, as it was last read. */
  readonly configuration: Configuration;
  /**
   * Reads the settings of this process again if the user changed them in a file, or a key was stored. Opening a session
   * and advancing one does so too.
   *
   * @throws KlausError `config` for an invalid file.
   */
  refresh(): Promise<Configuration>;
  /** The user's own settings. A change is in force at once. */
  readonly settings: UserSettings;
  /** The keys of the providers of models. A change is in force at once. */
  readonly keys: KeyStore;
  /** The servers of models in the user's settings. A change is in force at once. */
  readonly modelServers: ModelServers;
  /** Programs on this machine that serve models. */
  readonly localServers: LocalServers;
  /** The MCP servers of the user and of a project. @param folder Default: the configured workspace. */
  mcp(folder?: string): McpConfiguration;
  /** Checks everything that a run needs on this machine, as {@link diagnose}. Takes up to some seconds. Throws nothing. */
  diagnose(): Promise<Finding[]>;
  /**
   * The settings in a workspace, with the project file there.
   *
   * @throws KlausError `config` for an invalid one.
   */
  configurationOf(workspace: string): Promise<Configuration>;
  /** Queries over the logs of all sessions. */
  readonly store: KlausStore;
  /** Private clones of repositories, in which sessions work. */
  readonly copies: WorkingCopies;
  /**
   * Opens a new session; durable when it resolves.
   *
   * @throws KlausError `workspace.*`, `model.unknown`, `auth`, `sandbox.unavailable`, `config`, and `copy.refused` with
   *   `workingCopy`.
   */
  open(options?: OpenOptions): Promise<Session>;
  /**
   * Creates a session that begins with a copy of another session's log up to an event. The original and the files of
   * the workspace do not change: `state` is the nearest snapshot, for `session.restore`.
   *
   * @throws KlausError `usage` for an event that does not exist, `model.unknown`, `auth`, `config`.
   */
  fork(idOrPrefix: string, options?: ForkOptions): Promise<Fork>;
  /**
   * A script for the scripted model server and a test that runs it, from a recorded session.
   *
   * @throws KlausError `usage` with the reason for a session that no script can replay.
   */
  exportTest(idOrPrefix: string): Promise<ExportedTest>;
  /**
   * A session with its child sessions as one HTML file for others: without scripts and addresses that are loaded, with
   * secrets redacted and home folders as `~`.
   */
  shareHtml(idOrPrefix: string, options?: ShareOptions): Promise<string>;
  /** @throws KlausError `usage` naming the nearest session. */
  session(idOrPrefix: string): Promise<Session>;
  /** A handle on a session that is known to exist, without a lookup. @param id The full id. */
  handle(id: string): Session;
  /**
   * The user's and the project's policy files, combined.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `config` with file, line and reason for an invalid file.
   */
  policy(workspace?: string): Promise<Policy>;
  /**
   * The defined agents of a workspace.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  agents(workspace?: string): Agents;
  /**
   * The skills of the user and of a workspace.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  skills(workspace?: string): Skills;
  /** By default the session with the newest event first. */
  sessions(query?: SessionFilter): Promise<SessionRow[]>;
  /**
   * The cost of requests to models: of all sessions, or of one and its descendants, with what is left of its limits.
   *
   * @param query.by What a row sums up. Default: `model` for one session, else `day` (in UTC).
   * @param query.since Unix milliseconds: only requests that ended at that time or later.
   * @param query.workspaces Only of sessions in these folders, by the paths of their workspaces. Default: all.
   * @throws KlausError `usage` for an unknown session.
   */
  usage(query?: {
    session?: string;
    by?: UsageReport['by'];
    since?: number;
    workspaces?: readonly string[];
  }): Promise<UsageReport>;
  /** Open questions of all sessions. */
  approvals(): Promise<ApprovalRow[]>;
  /**
   * Answers a question of any session, from any process.
   *
   * @param approval `approval` of the event `approval.asked`, or `id` of a row of {@link approvals}, or a prefix of it.
   * @throws KlausError `usage` for an unknown question, answer, option or hunk, and for an approval that would raise a
   *   limit, without `raise`; nothing is sent then.
   */
  answer(approval: string, answer: 'approved' | 'rejected', options?: AnswerOptions): Promise<Session>;
  /** Background processes of all sessions, or of one; also those that have ended. */
  processes(session?: string): ProcessStatus[];
  /**
   * A background process of any session.
   *
   * @param name `SESSION/p1`, where a prefix of the session's id is enough, or `p1` if only one such process runs.
   * @throws KlausError `usage` naming the candidates.
   */
  process(name: string): Promise<BackgroundProcess>;
  /** Deletes sessions with all data that only they refer to; their background processes are ended. */
  clearSessions(filter?: ClearFilter): Promise<ClearReport>;
  /** Deletes snapshots that no undo can need any more, and old output of processes. Default: only reports the sizes. */
  collectGarbage(options?: { dryRun?: boolean }): Promise<GcSummary & { processes: number }>;
  /** Deletes an approval that remains valid after its session; false when there is none. */
  forget(idOrPrefix: string, options?: { by?: string }): Promise<boolean>;
  /** The complete question with its hunks. @throws KlausError `usage` for an unknown one. */
  question(approval: string): Promise<EventOf<'approval.asked'>>;
  /** Messages of all sessions that contain every word, the best first. @param options.limit Default 50. */
  search(text: string, options?: { limit?: number }): Promise<MessageHit[]>;
  /** The models of the catalog that the configuration allows, with the date of the catalog. */
  models(): { models: KnownModel[]; asOf: string };
  /**
   * Read access to a workspace.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  files(workspace?: string): Promise<WorkspaceFiles>;
  /** The newest matching session of a folder. */
  latest(options?: LatestOptions): Promise<Session | undefined>;
  /** Judges a shell command in the opened folder. Default: mode `auto` with the default grant. */
  judge(
    command: string,
    options?: { mode?: Mode; grant?: readonly string[]; sandbox?: SandboxName },
  ): Promise<JudgedCommand>;
  /**
   * Explains which part of a grant allows or denies a tool call, and what would allow it. Runs nothing.
   *
   * @param call Such as `run_command npm test` or `read_file {"path":"x"}`.
   * @throws KlausError `usage` for a call or a grant that cannot be read.
   */
  explain(call: string | GivenCall, options?: ExplainOptions): Promise<Explanation>;
  /** Appends a decision or an observation of the guard of another agent to the host chain. Durable when it resolves. */
  recordGuard(body: GuardBody): Promise<HostEvent>;
  /**
   * What is remembered about a workspace. Secrets are redacted from new entries.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  memory(workspace?: string): Knowledge;
  /**
   * Adds tools to this engine. A session that is already open finds them with `tool_search`, so that its prompt prefix
   * does not change; a session that is opened later has them in its requests unless they are `deferred`.
   *
   * @throws KlausError `usage` when a name is taken; none is added then.
   */
  attach(tools: readonly Tool[]): void;
  /** The effects of a tool; undefined for an unknown one, and for those of MCP servers. */
  effectsOf(tool: string): readonly Effect[] | undefined;
  /**
   * Redacts secrets in a text that belongs to no session, such as a line of a log: the credentials of environment and
   * configuration, and texts that look like secrets.
   */
  redact(text: string): string;
  /** Calls `listener` for every command that is started in a sandbox here; returns a function that removes it. */
  onSandboxStart(listener: (start: SandboxStart) => void): () => void;
  /**
   * Acquires a lock of this state folder. The kernel releases it when the process ends for any reason. Undefined while
   * a live process holds it, including this one.
   *
   * @param name Path of the lock file in the state folder, without its extension.
   */
  lock(name: string): FileLock | undefined;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What doors use of the store. Sessions are changed through `Session` alone. */
type GuardBody = Extract<HostEventBody, { type: `guard.${string}` }>;

export interface KlausStore
  extends
    StoreQueries,
    Pick<Store, 'read' | 'inbox' | 'onSend' | 'emitLive' | 'onLive' | 'readBlob'>,
    Pick<ViewedStore, 'view' | 'outbox'> {}
