import type { Redactor } from '../../policy/index.ts';
import type { Access, EventBody, EventOf, InputAnswer, InputQuestion, Message, TreeId } from '../../protocol/index.ts';
import type { OwnState, OwnStateInput } from '../authors/owned.ts';
import type { AuthorityReader } from '../children/authority.ts';
import type { JudgedCall, ParsedCall, ReadyCall, ToolFinished } from '../calls/judged-call.ts';
import type { Carried } from '../carried/carried.ts';
import type { ClosedEvidence, OpenEvidence } from '../evidence/closed-evidence.ts';
import type { WritableFolders } from '../folders/open-folders.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Formatter } from '../formatting/formatter.ts';
import type { AfterCall, Submitted } from '../hooks/hook-results.ts';
import type { RequestHasher } from '../model/request-hash.ts';
import type { PlannedFallback } from '../model/planned-fallback.ts';
import type { FailedRequest, Retry } from '../model/retry.ts';
import type { LeaveOut } from '../refusals/leave-out.ts';
import type { KnownCommits, LastPositions } from '../places/known-commits.ts';
import type { Layer, Layers } from '../ports/layer.ts';
import type { Model, ModelFailure } from '../ports/model.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SecretSource } from '../ports/secrets.ts';
import type { GitPosition, Snapshots, Uncovered } from '../ports/snapshots.ts';
import type { Lease } from '../ports/store.ts';
import type { ToolOutput } from '../ports/tool.ts';
import type { SessionTools } from '../ports/session-tools.ts';
import type { Folder, Workspace } from '../ports/workspace.ts';
import type { GitGuarded, GuardInput } from '../workspace/guarded.ts';
import type { Engine } from './engine.ts';
import type { CallState, State } from '../state/state.ts';

/** A claimed session that is being advanced: its state, and the only way to change it. */
export interface Work {
  readonly engine: Engine;
  readonly activities: Activities;
  readonly session: string;
  readonly lease: Lease;
  readonly state: State;
  readonly authority: AuthorityReader;
  readonly redactor: Redactor;
  readonly hashRequest: RequestHasher;
  readonly leaveOut: LeaveOut;
  /** Original inputs of calls whose logged input was redacted. Lost in a crash. */
  readonly originals: Map<string, unknown>;
  /** Folders that were searched for AGENTS.md or CLAUDE.md. */
  readonly seenFolders: Set<string>;
  readonly prestart: Prestart;
  /** The workspace after the last call with effects, if it was read then. */
  readonly scanned: { after?: { call: string; tree: TreeId; gitTree: TreeId | undefined; carried?: Carried } };
  /** Language servers and formatters of the session, once a call has changed a file. */
  readonly servers: { diagnostics?: Promise<Diagnostics>; formatter?: Promise<Formatter> };
  /** What drives the agent, if the loop does not. Created by its first turn. */
  readonly agent: { driver?: AgentDriver };
  /** The tools of the MCP servers of the session, if it has any. Created at their first use. */
  readonly mcp: { tools?: SessionTools };
  /** Aborts the current step: a cancel arrived, or the caller wants to leave. */
  readonly stop: AbortSignal;
  /** True if the caller wants to leave at once. Nothing more is appended, as after a crash. */
  isLeaving(): boolean;
  /** Redacts, appends and folds events. Consumes the commands in the same transaction. */
  append(bodies: readonly EventBody[], consume?: readonly string[]): Promise<void>;
  /** Reports to the caller that a child session has something to do. */
  wakeChild(child: string): void;
  /** Set before each step: whether `model` is that of the session while a substitute answers. */
  readonly choice: { isFirst: boolean };
  /** The model that answers. */
  model(): Promise<Model>;
  workspace(): Promise<Workspace>;
  /** A folder outside the workspace; opened once. See `Engine.openFolder`. */
  folder(path: string): Promise<Folder>;
  sandbox(): Promise<Sandbox>;
  snapshots(): Promise<Snapshots>;
  layers(): Promise<Layers>;
  /** Adds the values of the secret files to the redactor; `history` (default true): also their earlier versions. */
  learnSecrets(options?: { history?: boolean }): Promise<void>;
  /** The secret files of all folders that commands of the session can read. */
  secrets(): SecretSource;
  /** Opens what the first call will need while the model answers. A failure occurs again at the call. Idempotent. */
  warmUp(): void;
  /** Resolves when `warmUp` is complete. */
  idle(): Promise<void>;
}

/** Drives an agent of another program while its session is held. */
export interface AgentDriver {
  /** One turn: sends the new messages and records what the agent does. */
  performTurn(work: Work): Promise<void>;
  /** Ends the process of the agent. Idempotent. */
  close(): Promise<void>;
}

/** A sandbox that is started before its command is known. */
export interface Prestart {
  /** Undefined if none is started or starting. Its value closes the sandbox. */
  end?: Promise<(() => Promise<unknown>) | undefined>;
  /** Aborted when the model has answered. */
  answered?: AbortController;
  /** Number of commands that ran while the session was held. */
  commands: number;
  /** The first snapshot of the workspace. Later ones only cost what has changed since. */
  snapshot?: { stop: () => void; done: Promise<void> };
}

/** A layer with the state of the workspace at its start. */
export interface OpenedLayer {
  layer: Layer;
  base: TreeId;
}

export interface ReviewInput {
  ready: ReadyCall;
  finished: ToolFinished;
  opened: OpenedLayer;
}

/** The subject of a question about changes of a command. */
export type ChangesSubject = Extract<EventOf<'approval.asked'>['subject'], { kind: 'changes' }>;

/** The operations that depend on the workspace, the gate, the memory or on chance. A replay reads them from the log. */
export interface Activities {
  openSnapshots(engine: Engine, folders: WritableFolders): Promise<Snapshots>;
  openLayers(engine: Engine, folders: WritableFolders): Promise<Layers>;
  /** Prepares a call, asks the gate, and applies the answer of an approval. Changes nothing. */
  judge(work: Work, call: ParsedCall): Promise<JudgedCall>;
  /** The record of the child session that a call is about to open, if it opens one. */
  recordChild(work: Work, ready: ReadyCall): EventBody[];
  /** What the log of a child session says about its end. */
  readChildEnd(work: Work, child: string): Promise<EventBody[]>;
  /** Closes the child session that a refused call has recorded before. */
  closeChildOf(work: Work, call: string): Promise<EventBody[]>;
  /** Closes the child sessions of the run, and returns the records of those that are closed now. */
  closeChildren(work: Work): Promise<EventBody[]>;
  /** The outcome of a call that a crash interrupted. `repeat`: the call is judged and run again. */
  recover(work: Work, call: CallState): Promise<EventBody[] | 'repeat'>;
  /** Judges the changes of a command on its layer: its result, or a question. Undefined if it changed nothing. */
  reviewChanges(work: Work, input: ReviewInput): Promise<EventBody[] | undefined>;
  /** Applies the accepted changes of a command and returns its result. */
  applyAccepted(work: Work, call: CallState, subject: ChangesSubject): Promise<EventBody[]>;
  /** Repairs git's own data and protected places after a command. */
  guardWorkspace(work: Work, input: GuardInput): Promise<GitGuarded>;
  /** Paths whose changes by a call will not be kept. */
  findRejected(work: Work, ready: ReadyCall, finished: ToolFinished): Promise<string[]>;
  /** Divides the changes of a turn by their authors. */
  findOwnState(work: Work, input: OwnStateInput): Promise<OwnState>;
  /** Reports repositories that can be neither protected nor restored. */
  reportUnprotected(work: Work, uncovered: readonly Uncovered[]): EventBody[];
  /** Object ids of commits that no command of the session made. */
  findKnownCommits(now: readonly GitPosition[], last: LastPositions): KnownCommits;
  /** Messages with the instruction files of the folders that were accessed; `root`: those of a new session. */
  loadInstructions(work: Work, access: readonly Access[] | 'root', run?: string): Promise<EventBody[]>;
  /** Asks the user during a call. */
  askUser(work: Work, call: string, asked: { question: InputQuestion; signal: AbortSignal }): Promise<InputAnswer>;
  /** Runs the hooks after a call, and adds what they say to its result. */
  afterCall(work: Work, ready: ReadyCall, finished: ToolFinished): Promise<AfterCall>;
  /** Runs the hooks of a prompt: what precedes it in the history, or why it is not sent. */
  submitPrompt(work: Work, prompt: { run: string; message: Message }): Promise<Submitted>;
  /** Runs the hooks of the end of a run. */
  keepWorking(work: Work): Promise<{ bodies: EventBody[]; continues: boolean }>;
  /** Commits the workspace to its private ref at the end of a run. */
  checkpoint(work: Work): Promise<EventBody[]>;
  /** Adds the states of the workspace and the environment to the evidence of a check. */
  toReceipt(
    work: Work,
    evidence: NonNullable<ToolOutput['evidence']>,
    before: TreeId | undefined,
  ): Promise<NonNullable<ToolFinished['evidence']>>;
  /** Compares the checks of a run with the present workspace, and its claims with the checks. */
  closeEvidence(work: Work, evidence: OpenEvidence): Promise<ClosedEvidence>;
  /** When a failed request is sent again. Undefined: the failure is final. */
  planRetry(work: Work, failed: FailedRequest): Retry | undefined;
  /** The model that answers instead of one whose request failed finally. */
  planFallback(work: Work, failed: { model: Model; failure: ModelFailure }): Promise<PlannedFallback>;
  /** True if the next request goes to the model of the session, and not to its substitute. */
  triesFirst(work: Work): boolean;
}
