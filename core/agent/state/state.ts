import {
  NO_LIMITS,
  USE_TOOL,
  type CheckEnvironment,
  type Edge,
  type Effort,
  type EventOf,
  type Evidence,
  type Grant,
  type LimitName,
  type Limits,
  type Message,
  type ModelFailureCode,
  type OnAsk,
  type Review,
  type StopReason,
  type TodoList,
  type TreeId,
  type Usage,
} from '../../protocol/index.ts';
import type { AddressOrigin, Denial, LineageFact } from '../../policy/index.ts';
import type { CallState } from './call-state.ts';
import type { RunCuts } from './cut-call.ts';
import type { GivenApproval } from './given-approval.ts';
import type { Substitute } from './substitute.ts';
import type { TaintState } from './taint-state.ts';
import type { TurnEffects } from './turn-effects.ts';
import type { ModelRefusals } from '../refusals/model-refusals.ts';
import type { FinishedCall } from '../calls/finished-call.ts';
import type { LastShown } from '../ports/tools/last-shown.ts';
import type { LearnedSizes } from '../budget/learned-sizes.ts';
import { accountOf, openRequestsOf, type Ledger, type OpenRequest } from '../budget/ledger.ts';

export type { CallState } from './call-state.ts';

/** A child session according to the log of its parent. */
export interface ChildState {
  readonly id: string;
  /** The call that opened it, and its run. */
  readonly call: string;
  readonly run: string;
  readonly agent: string;
  readonly edge: Edge;
  /** SHA-256 of the file of its definition. */
  readonly definition: string;
  /** All authority that it was given. The gate computes what is left of it. */
  readonly grant: Grant;
  /** What is reserved for it. */
  readonly limits: Limits;
  /** True: what it did not use was returned. */
  isClosed: boolean;
  /** The last run that ended. */
  finished?: { run: string; outcome: EventOf<'child.finished'>['outcome'] };
  /** What it and its own children used, as last reported. */
  usage: Usage;
  usd: number | null;
  turns: number;
  toolCalls: number;
  minutes: number;
}

export interface RunState {
  readonly id: string;
  readonly trigger: EventOf<'run.started'>['trigger'];
  onAsk: OnAsk;
  /** Milliseconds during which an outage of the model is waited out; the settings may specify more. */
  readonly waitForModelMs: number;
  usage: Usage;
  usd: number | null;
  held?: EventOf<'run.finished'>['held'];
  /** True if a part of `usage` is estimated. */
  estimated?: true;
  turns: number;
  toolCalls: number;
  evidence: Evidence[];
  /** The workspace before the first effect of the run. */
  base?: TreeId;
  /** True if a call of the run did more than read. */
  acted: boolean;
  /** All finished calls in order. */
  calls: FinishedCall[];
  /** Invalid inputs in a row. */
  invalidInputs: number;
  /** Answers in a row that were cut, paused or empty. An answer that was cut after complete calls is not counted. */
  continuations: number;
  cuts: RunCuts;
  /** True if the last answer had neither text nor calls, and nothing happened since. */
  empty: boolean;
  lastStop?: StopReason;
  /** True if the last turn ended without an answer: by a cancel, a limit, or with its process. */
  interrupted?: true;
  /** The failure that ended the last turn, after all retries. */
  failure?: { code: ModelFailureCode; message: string };
  /** A compaction is needed before the next turn, regardless of the estimate. */
  mustCompact: boolean;
  /** A user requested a compaction that was not made yet. */
  isCompactionRequested: boolean;
  /** A compaction was made and no turn has succeeded since. */
  compacted: boolean;
  /** Refusals of a prompt that was too long since the last turn that succeeded. */
  overflows: number;
  /** The user refused to raise this limit. */
  limitRefused?: LimitName;
  checkpointed: boolean;
  /** True if a turn of the run changed the workspace, or if a part of the workspace is not in its snapshots. */
  changedFiles: boolean;
  /** Protected places that a command changed and that could not be restored. */
  unreverted: string[];
  /** Limits whose 80 % was announced. */
  warned: Set<LimitName>;
}

/** A text that remains in the context unchanged. */
export interface Pin {
  readonly id: string;
  readonly text: string;
  /** Its source, if it is not the user. */
  readonly source?: string;
}

/** A background process according to the log. Its files contain its present status. */
export interface ProcessState {
  readonly id: string;
  readonly command: string;
  readonly survives: boolean;
  last: EventOf<'process.changed'>;
  /** True if `last` was reported to the model. */
  isReported: boolean;
}

/** The state of a session: the fold of its log. */
export interface State {
  seq: number;
  session?: EventOf<'session.opened'>;
  closed: boolean;
  model: string;
  /** Names of the models that answer, in this order, while `model` cannot. */
  fallback: readonly string[];
  /** The model that answers instead of `model`. */
  substitute?: Substitute;
  /** How much the model reasons; absent: the default of the model. */
  effort?: Effort;
  /** Full names of the models from which a turn was requested. */
  models: Set<string>;
  mode: EventOf<'session.opened'>['mode'];
  limits: Limits;
  grant: EventOf<'session.opened'>['grant'];
  title?: string;
  summary?: string;
  /** Last turn that was started. */
  turn: number;
  /** The turn that has no answer yet. */
  openTurn?: EventOf<'turn.started'>;
  /** Tokens of the window of the model that the last turn asked. Undefined: unknown. */
  contextWindow?: number;
  /** Start of the present outage: the first failure of the open request, in Unix milliseconds. */
  failingSince?: number;
  /** The history as the model sees it. Messages are only appended; a compaction replaces the array. */
  messages: Message[];
  /** Number of messages when the last turn started. */
  prompted: number;
  /** The session of the agent that another program drives. */
  agentSession?: string;
  /** Sum of the UTF-8 bytes of `messages`. */
  bytes: number;
  /** Sizes of models that servers named in errors. */
  learned: LearnedSizes;
  /** `bytes` and prompt tokens of the last answered request, for the next estimate. */
  measured?: { bytes: number; tokens: number };
  /** Calls of the last answer whose results are not in the history. */
  calls: CallState[];
  callIds: Set<string>;
  /** The content of files that the model knows, by path. */
  shown: Map<string, LastShown>;
  /** Files that tools deleted and did not create again. After a crash they are not reported as missing. */
  deleted: Set<string>;
  /** Messages that arrived while calls were open. They are added to the history after the results. */
  held: Message[];
  /** Pinned texts, in the order in which they were pinned. */
  pins: Pin[];
  /** The todo list that the agent keeps; absent: it has not set one. */
  todoList?: TodoList;
  run?: RunState;
  lastRun?: EventOf<'run.finished'>;
  /** The last checks of earlier runs. They may still be valid. */
  evidence: Evidence[];
  /** The workspace before the first effect of the last run, or of the run that it resumed. */
  base?: TreeId;
  /** The workspace before the first effect of the session. Later checks are compared with it. */
  origin?: TreeId;
  /** The environment of the session's first checks. */
  environment?: Pick<CheckEnvironment, 'path' | 'shell' | 'programs'>;
  /** The last snapshot of this turn, if no call has run since. */
  tree?: TreeId;
  firstPrompt?: string;
  /** True if the last run has a title and a summary, or gets none. */
  titled: boolean;
  approvals: Map<string, EventOf<'approval.asked'>>;
  /** Approvals of calls that the user gave and whose scope can be changed, by their ids. */
  approved: Map<string, GivenApproval>;
  /** Verdicts of models about actions, by the hash of what was reviewed. */
  reviews: Map<string, Omit<Review, 'usd'>>;
  /** Denials of reviewers since the last prompt. */
  denials: Denial[];
  /** Id of the last message whose errors a reviewer has judged. */
  errorsReviewed?: string;
  /** True if a review was left out because no model is available, and the log says so. */
  isReviewMissing: boolean;
  /** The plan that the user accepted since the last prompt, Markdown. */
  plan?: string;
  /** The snapshot before the open turn, if its effects have begun and no snapshot follows yet. */
  openSnapshot?: EventOf<'workspace.snapshotted'>;
  /** The workspace after the last turn with effects, and the run of that turn. */
  left?: { run: string; tree: TreeId; gitTree?: TreeId; at: number; hidden?: readonly string[] };
  turnEffects?: TurnEffects;
  /** Child sessions by their ids, in the order in which they were opened. */
  children: Map<string, ChildState>;
  /** What the log says about the authority of the session and of its children. */
  lineage: LineageFact[];
  /** Background processes by their names, in the order in which they were started. */
  processes: Map<string, ProcessState>;
  checkpoint?: string;
  /** Addresses that prompts of the user or pages of the web name. */
  addresses: Map<string, AddressOrigin>;
  fetched: Map<string, number>;
  /** Present if the session has read untrusted content. */
  taint?: TaintState;
  /** The accounts of the session: costs and reservations. */
  ledger: Ledger;
  /** What servers accepted and refused, by the full name of the model. */
  refusals: Map<string, ModelRefusals>;
  /** Counts over all runs of the session. */
  spent: { toolCalls: number; turns: number };
}

export function createState(): State {
  return {
    seq: 0,
    closed: false,
    model: '',
    fallback: [],
    models: new Set(),
    mode: 'auto',
    limits: NO_LIMITS,
    grant: { authorities: [] },
    turn: 0,
    messages: [],
    prompted: 0,
    bytes: 0,
    learned: [],
    calls: [],
    callIds: new Set(),
    shown: new Map(),
    deleted: new Set(),
    held: [],
    pins: [],
    titled: true,
    approvals: new Map(),
    approved: new Map(),
    reviews: new Map(),
    denials: [],
    isReviewMissing: false,
    evidence: [],
    children: new Map(),
    lineage: [],
    processes: new Map(),
    addresses: new Map(),
    fetched: new Map(),
    ledger: new Map(),
    refusals: new Map(),
    spent: { toolCalls: 0, turns: 0 },
  };
}

/** The opening of the session. @throws if the log is empty. */
export function openedOf(state: State): EventOf<'session.opened'> {
  if (!state.session) throw new Error('the log does not begin with session.opened');
  return state.session;
}

/** The reserved request without a recorded end. Between two steps it belongs to a crashed process. */
export function openRequestOf(state: State): OpenRequest | undefined {
  return state.session && openRequestsOf(accountOf(state.ledger, state.session.session))[0];
}

/** All tools that a session may call, according to its opening. */
export function toolsOf(state: State): string[] {
  const { tools, deferred = [] } = openedOf(state);
  return [...tools, ...deferred].filter((name) => name !== USE_TOOL);
}

/** True for a call that waits for an approval or for child sessions. */
export function isWaiting(call: CallState, state: State): boolean {
  return call.awaits !== undefined || (call.asked !== undefined && state.approvals.has(call.asked.approval));
}

/** The child sessions that are not closed. */
export function openChildrenOf({ children }: State): ChildState[] {
  return [...children.values()].filter(({ isClosed }) => !isClosed);
}

export function runOf(state: State): RunState {
  if (!state.run) throw new Error('there is no open run');
  return state.run;
}

/** The present run, or the last one if none is under way; '' before the first run. */
export function runIdOf({ run, lastRun }: State): string {
  return run?.id ?? lastRun?.run ?? '';
}
