import type {
  Checkpoint,
  Command,
  Decision,
  Event,
  EventOf,
  HunkAnswer,
  Limits,
  Live,
  Mode,
  OnAsk,
  Part,
  SandboxName,
  Scope,
  TreeChange,
} from '@klaus/core/protocol';
import type {
  Forked,
  Knowledge,
  ProcessStatus,
  Recall,
  Replayed,
  ReplayedRequest,
  RestoreOptions,
  RestoreRequest,
  Restored,
  Tool,
} from '@klaus/core/agent';
import type { LatestOptions } from './sessions/latest-session.ts';
import type { Policy } from '@klaus/core/policy';
import type {
  ApprovalRow,
  ClearFilter,
  ClearReport,
  FileLock,
  MessageHit,
  SessionFilter,
  SessionRow,
  SqliteStore,
} from '@klaus/adapters/store';
import type { ScriptedServer } from '@klaus/adapters/models';
import type { Configuration } from './config/configuration.ts';
import type { BackgroundProcess } from './sessions/processes.ts';
import type { GcSummary } from './engine/snapshots.ts';
import type { VerifiedEvidence, VerifyOptions } from '@klaus/core/agent';
import type { SandboxStart } from './engine/observe-sandbox.ts';
import type { PinnedText, PinResult } from './sessions/session-pins.ts';
import type { GivenCall } from './grants/call-text.ts';
import type { Explanation, ExplainOptions } from './grants/explanation.ts';
import type { GivenGrant } from './grants/opening-grant.ts';
import type { GrantRecord, Revoked, RevokeOptions } from './grants/session-grants.ts';
import type { KnownModel } from './models/known-models.ts';
import type { UsageReport } from './sessions/usage.ts';
import type { WorkspaceFiles } from './workspace/workspace-files.ts';

export interface KlausOptions {
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Environment to read settings from. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Settings given by the caller, by key (`model`, `limits.usd`): they win over everything. */
  settings?: Readonly<Record<string, unknown>>;
  /** Folder whose `.klaus/config.yaml` counts and in which sessions work by default. Default: the current one. */
  cwd?: string;
  /** Tools beside the built-in ones. */
  tools?: readonly Tool[];
  /** False: only `tools`. Default true. */
  builtinTools?: boolean;
  /** Returns where a `scripted/NAME` model is served. Default: such models are unknown. */
  scripted?: (name: string) => Promise<ScriptedServer>;
  /**
   * When background processes end that are not marked to survive: with the run that started them, so that nothing they
   * do comes after its last look, or when Klaus is closed. Default `close`.
   */
  endProcesses?: 'run' | 'close';
  /** Hosts that commands with a network reach, as in `listFetchHosts`; in bubblewrap, in the foreground. Default: all. */
  hosts?: readonly string[];
  /** Lines for the user that belong to no session, such as "openai/… goes through OpenRouter". */
  onNotice?: (text: string) => void;
}

export interface OpenOptions {
  /** A ULID that no session has. Default: a new one. */
  id?: string;
  /** Default: the configured workspace. */
  workspace?: string;
  /** Accept `/`, the home folder and the like. Default false. */
  allowAnyWorkspace?: boolean;
  /**
   * The folder around the workspace that may be read. The workspace itself: nothing around it. Default: the
   * repository in which it lies.
   */
  root?: string;
  model?: string;
  mode?: Mode;
  sandbox?: SandboxName;
  limits?: Partial<Limits>;
  checkpoint?: Checkpoint;
  /**
   * What the session may do, for as long as it lives: data, or text such as `file-operations · net(example.com)`.
   * Money and turns in it narrow the limits, models in it the choice of the model. Default: the workspace and the
   * sandbox, nothing to hand on.
   */
  grant?: GivenGrant;
  /**
   * Asked about each folder outside of the workspace that `grant` names, also by its real path: throws for one that may
   * not be read. For callers that hand on the grants of others. Default: what is no place of secrets, of the system or of
   * Klaus may.
   */
  checkFolder?: (folder: string) => void;
  /** Commands work on a layer, and what they changed is reviewed before it is kept. Default: the setting. */
  isolate?: boolean;
}

export interface ForkGiven {
  /** Seq of the last event that is taken over. Default: the last there is. */
  at?: number;
  /** The model that the fork goes on with. Default: the session's at that moment. */
  model?: string;
  title?: string;
  /** Who asks, for the log. Default `sdk`. */
  by?: string;
}

/** A session that began as a copy of another. */
export interface Fork extends Omit<Forked, 'session'> {
  session: Session;
  /** Id of the original. */
  from: string;
}

/** A session as a test that runs against its script. */
export interface ExportedTest {
  /** Content by path, relative to the test's folder. */
  files: ReadonlyMap<string, Uint8Array>;
  /** What the test does not hold, or needs; sentences for the user. */
  notes: readonly string[];
}

/** Why advance returned. */
export type Advance =
  /** Nothing is left to do. `finished` is the last run's end, where this call ended one. */
  | { state: 'idle'; finished?: EventOf<'run.finished'> }
  /** Questions are open; nothing goes on until one is answered. */
  | { state: 'parked'; approvals: EventOf<'approval.asked'>[] }
  /** Another live process holds the session. It serves what was sent. */
  | { state: 'busy' };

export interface PromptOptions {
  /** Id of the command, a ULID: the same one sent twice has one effect. Default: a new one. */
  id?: string;
  /** What to do with a question. Default `deny`. */
  onAsk?: OnAsk;
  /** While a run is under way: seen at its next model call, or its own run afterwards. Default `steer`. */
  delivery?: 'steer' | 'queue';
  /** Keep its text in the context word for word. Default false. */
  pin?: boolean;
  /** Milliseconds for which the run waits out an outage of the model, also after a restart. Default: the setting. */
  waitForModelMs?: number;
}

/** A handle on one session. Holding it claims nothing. */
export interface Session {
  readonly id: string;
  /**
   * Sends a prompt to the inbox and returns the command's id.
   *
   * @throws KlausError `usage` for one that is to be pinned and is too large for it; nothing is sent then.
   */
  prompt(content: string | readonly Part[], options?: PromptOptions): Promise<string>;
  /**
   * Sends any other command; `id` is chosen for you. A change of model is checked and stored by its full name.
   *
   * @throws KlausError `model.unknown`, `auth`, `config` for a model that cannot be used; nothing is sent then.
   */
  send(command: WithoutId<Command>): Promise<string>;
  /**
   * Claims the session and works until nothing is left to do. Resume is the same call.
   *
   * @param options.signal Leaves at once, as a crash would. @param options.pause Leaves after the present step.
   * @param options.last Once aborted, no further run begins: prompts that wait stay where they are.
   */
  advance(options?: { signal?: AbortSignal; pause?: AbortSignal; last?: AbortSignal }): Promise<Advance>;
  /**
   * Applies what was sent of title, pin, model, mode and limits, where nobody holds the session; no run goes on by it.
   * False while a live process holds it: it does so itself.
   */
  applyQueuedCommands(): Promise<boolean>;
  /** True when `advance` would find something to do: a command whose time has come, or a run that waits for no answer. */
  isRunnable(): boolean;
  /**
   * Runs the loop again on the log, offline and touching nothing, and compares every request and every event with
   * the record. Needs no model, no workspace and no lock.
   *
   * @param options.onRequest Called with each request in order, as the model would have been sent it.
   * @throws KlausError `store.corrupt` for a log that cannot be read.
   */
  replay(options?: { onRequest?: (request: ReplayedRequest) => void }): Promise<Replayed>;
  events(after?: number): Iterable<Event>;
  /**
   * Puts files of the workspace back, as one step. Claims the session meanwhile.
   *
   * @throws KlausError `store.busy` while a process works on it, `usage` when there is nothing to do.
   */
  restore(request: RestoreRequest, options: RestoreOptions): Promise<Restored>;
  /** What a turn changed, or all of them as turn 0; default: the last with effects. @throws KlausError `usage` for a turn without effects. */
  turnChanges(turn?: number | 'all'): Promise<TurnChanges>;
  /**
   * Runs the checks of the last run that had any again, through the gate, in the sandbox, and writes what came out
   * into the log. Claims the session meanwhile.
   *
   * @throws KlausError `store.busy` while a process works on it, `usage` when there is nothing to run again.
   */
  verify(options?: Partial<VerifyOptions>): Promise<VerifiedEvidence>;
  /** The grant of the session with everything that it was before, oldest first. */
  grants(): GrantRecord[];
  /**
   * Takes authority back, also from a session at work in another process.
   *
   * @param parts As in a grant's text; a kind alone (`net`) or a bundle stands for all of it. Empty: everything.
   * @throws KlausError `usage` for a part that the grant does not hold or cannot leave out; nothing is revoked then.
   */
  revoke(parts?: readonly string[], options?: RevokeOptions): Promise<Revoked>;
  /**
   * Keeps a text in the context word for word, whatever a compaction leaves out: one of the user's own, or that of
   * a record of the log.
   *
   * @throws KlausError `usage` for a record without text, and when all pinned texts together would take more than
   *   a tenth of the context window.
   */
  pin(given: string | { seq: number }, options?: { by?: string }): Promise<PinResult>;
  /** @param idOrPrefix Of a pin. @throws KlausError `usage` for what is not pinned. */
  unpin(idOrPrefix: string, options?: { by?: string }): Promise<PinResult>;
  /** What is pinned, oldest first. */
  pins(): PinnedText[];
  /** Finds text in everything that was said, called and given, also where compaction left it out. */
  readonly recall: Recall;
  subscribe(after: number, listener: (event: Event) => void): () => void;
  onLive(listener: (live: Live) => void): () => void;
}

type WithoutId<C> = C extends Command ? Omit<C, 'id'> : never;

/** What one turn did to the workspace. */
export interface TurnChanges {
  turn: number;
  changes: TreeChange[];
  /** Unified diff text; what has no lines stands there as a sentence. */
  diff: string;
}

/** How a question is answered, beyond yes and no. */
export interface AnswerOptions {
  /** Who answers, for the log. Default `sdk`. */
  by?: string;
  /** A reason that the model is told. */
  note?: string;
  /** Only these hunks, some of them with other lines. Default: the whole change. */
  hunks?: HunkAnswer;
  /** How long a yes holds. Default `once`. */
  scope?: Scope;
}

/** What the gate says to a command, without running it. */
export interface JudgedCommand extends Decision {
  mode: Mode;
  /** The grant in one line. */
  grant: string;
  /** The command as the gate understood it, one simple command a line. */
  understood: string;
}

export interface Klaus {
  readonly home: string;
  readonly configuration: Configuration;
  /** The log with its queries. */
  readonly store: SqliteStore;
  /**
   * Opens a new session; durable when it resolves.
   *
   * @throws KlausError `workspace.*`, `model.unknown`, `auth`, `sandbox.unavailable`, `config`.
   */
  open(options?: OpenOptions): Promise<Session>;
  /**
   * Makes a session that begins as a copy of another's log up to an event; the original is only read. The files of
   * the workspace stay as they are: `state` names the kept state that is nearest, for `session.restore`.
   *
   * @throws KlausError `usage` for an event that there is none of, `model.unknown`, `auth`, `config`.
   */
  fork(idOrPrefix: string, options?: ForkGiven): Promise<Fork>;
  /**
   * A script for the scripted model server and a test that runs it, from what a session recorded.
   *
   * @throws KlausError `usage` with the reason for a session that no script can play again.
   */
  exportTest(idOrPrefix: string): Promise<ExportedTest>;
  /** @throws KlausError `usage` naming the nearest session. */
  session(idOrPrefix: string): Session;
  /**
   * What the user's and the project's policy files say together.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `config` with file, line and reason for a file that cannot be read as it is meant.
   */
  policy(workspace?: string): Promise<Policy>;
  /** By default the one with the newest event first. */
  sessions(query?: SessionFilter): SessionRow[];
  /**
   * What requests to models cost: of all sessions, or of one and those that it began, with what is left of its limits.
   *
   * @param query.by What a row stands for. Default: `model` for one session, else `day` (in UTC).
   * @param query.since Unix milliseconds: only requests that ended from then on.
   * @throws KlausError `usage` for an unknown session.
   */
  usage(query?: { session?: string; by?: UsageReport['by']; since?: number }): UsageReport;
  /** Open questions over all sessions. */
  approvals(): ApprovalRow[];
  /**
   * Answers a question of any session, from any process.
   *
   * @param approval `approval` of the event `approval.asked`, or `id` of a row of {@link approvals}; the beginning of
   *   it is enough.
   * @throws KlausError `usage` for an unknown question, answer, option or hunk; nothing is sent then.
   */
  answer(approval: string, answer: 'approved' | 'rejected', options?: AnswerOptions): Promise<Session>;
  /** Background processes of all sessions, or of one; those that have ended too. */
  processes(session?: string): ProcessStatus[];
  /**
   * A background process, from any Klaus.
   *
   * @param name `SESSION/p1`, where the beginning of the session's id is enough, or `p1` where only one such process
   *   runs.
   * @throws KlausError `usage` naming what there is.
   */
  process(name: string): BackgroundProcess;
  /** Deletes sessions with everything that is only theirs; their background processes are ended. */
  clearSessions(filter?: ClearFilter): Promise<ClearReport>;
  /** Writes limits of later sessions into the user's own configuration. Returns the file. */
  writeLimits(limits: Partial<Limits>): string;
  /** Frees what no undo can need any more, and old output of processes. Default: only says what it would free. */
  collectGarbage(options?: { dryRun?: boolean }): Promise<GcSummary & { processes: number }>;
  /** Forgets an approval that holds for longer than its session; false when there is no such one. */
  forget(idOrPrefix: string, options?: { by?: string }): boolean;
  /** The whole question with its hunks. @throws KlausError `usage` for an unknown one. */
  question(approval: string): EventOf<'approval.asked'>;
  /** Messages of all sessions in which every word stands, the best first. @param options.limit Default 50. */
  search(text: string, options?: { limit?: number }): MessageHit[];
  /** The models of the catalog that the configuration allows, with the date of the catalog. */
  models(): { models: KnownModel[]; asOf: string };
  /**
   * A workspace to be looked at.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  files(workspace?: string): Promise<WorkspaceFiles>;
  /**
   * The newest session of a folder that fits.
   */
  latest(options?: LatestOptions): Session | undefined;
  /** Judges a shell command in the opened folder, as mode `auto` with the default grant unless told otherwise. */
  judge(command: string, options?: { mode?: Mode; grant?: readonly string[] }): Promise<JudgedCommand>;
  /**
   * Says which part of a grant allows or denies a tool call, and what would allow it. Runs nothing.
   *
   * @param call Such as `run_command npm test` or `read_file {"path":"x"}`.
   * @throws KlausError `usage` for a call or a grant that cannot be read.
   */
  explain(call: string | GivenCall, options?: ExplainOptions): Promise<Explanation>;
  /**
   * What is remembered about a workspace. Secrets are taken out of what is set.
   *
   * @param workspace Default: the configured one.
   * @throws KlausError `workspace.missing`.
   */
  memory(workspace?: string): Knowledge;
  /**
   * Gives this engine more tools. A session that is open already finds them by `tool_search`, so that its prompt
   * prefix stays as it is; a session that is opened later has those in its requests that are not `deferred`.
   *
   * @throws KlausError `usage` when a name is taken; none is added then.
   */
  attach(tools: readonly Tool[]): void;
  /**
   * Takes secrets out of a text that belongs to no session, such as a line of a log: the credentials of environment
   * and configuration, and what looks like one.
   */
  redact(text: string): string;
  /** Calls `listener` for every command that is started in a sandbox here; returns what ends that. */
  onSandboxStart(listener: (start: SandboxStart) => void): () => void;
  /**
   * Takes what only one process may have of this state folder; the kernel gives it back however that process ends.
   * Undefined while a live one has it, this one included.
   *
   * @param name Path of the lock file below the state folder, without its ending.
   */
  lock(name: string): FileLock | undefined;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
