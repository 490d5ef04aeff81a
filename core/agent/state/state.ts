import {
  USE_TOOL,
  type CheckEnvironment,
  type EventOf,
  type Evidence,
  type HunkAnswer,
  type LimitName,
  type Limits,
  type Message,
  type ModelFailureCode,
  type OnAsk,
  type Outcome,
  type Remembered,
  type StopReason,
  type TreeId,
  type Usage,
} from '../../protocol/index.ts';
import type { FinishedCall } from '../calls/finished-call.ts';
import { accountOf, type Ledger, type OpenRequest } from '../budget/ledger.ts';

/** One call of the last answer, until its results have entered the history. */
export interface CallState {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly input: unknown;
  /** True when redaction changed the logged input. */
  readonly redacted: boolean;
  /** The attempt without a result, where there is one. */
  started?: EventOf<'tool.started'>;
  /** The last question about this call, where there is one. */
  asked?: EventOf<'approval.asked'>;
  /** How that question was answered. */
  answer?: 'approved' | 'rejected' | 'expired' | undefined;
  note?: string | undefined;
  /** What the gate said last. */
  decided?: Pick<EventOf<'gate.decided'>, 'verdict' | 'rule'>;
  /** The parts of the change that were accepted, where not the whole was. */
  hunks?: HunkAnswer | undefined;
  finished?: { outcome: EventOf<'tool.finished'>['outcome']; output: string };
}

/** The run under way. */
export interface RunState {
  readonly id: string;
  readonly onAsk: OnAsk;
  /** Milliseconds for which this run waits out an outage of the model; the settings may say longer. */
  readonly waitForModelMs: number;
  usage: Usage;
  usd: number | null;
  turns: number;
  toolCalls: number;
  evidence: Evidence[];
  /** The workspace before the first effect of the run. */
  base?: TreeId;
  /** A call of the run did more than read. */
  acted: boolean;
  /** Every finished call in order: what a denial kept from happening is read from it. */
  calls: FinishedCall[];
  /** Invalid inputs in a row. */
  invalidInputs: number;
  /** Answers in a row that were cut, paused or empty. */
  continuations: number;
  /** True while the last answer, which had no words and no calls, is the last thing that happened. */
  empty: boolean;
  lastStop?: StopReason;
  /** The failure that ended the last turn, after all retries. */
  failure?: { code: ModelFailureCode; message: string };
  /** A compaction is needed before the next turn, whatever the estimate says. */
  mustCompact: boolean;
  /** A compaction was made and no turn has succeeded since. */
  compacted: boolean;
  /** The user refused to raise this limit. */
  limitRefused?: LimitName;
  checkpointed: boolean;
  /** A turn of the run left the workspace otherwise than it found it, or part of that could not be seen. */
  changedFiles: boolean;
  /** Protected places that a command changed and that could not be restored. */
  unreverted: string[];
  /** Limits whose 80 % was announced. */
  warned: Set<LimitName>;
}

/** What the log says about the effects of a turn. */
export interface TurnEffects {
  /** Files that tools say they changed. */
  paths: Set<string>;
  /** What they left there, as its hash; null: nothing. */
  edited: Map<string, string | null>;
  /** False once something ran whose changes are not known by its result, such as a command. */
  isKnown: boolean;
  /** Names of the tools that ran. */
  tools: Set<string>;
  /** A human let one of its calls pass. */
  isApproved: boolean;
}

/** A text that stays in the context word for word. */
export interface Pin {
  readonly id: string;
  readonly text: string;
  /** Where it comes from, where it is not the user's own. */
  readonly source?: string | undefined;
}

/** A background process as the log knows it; what is so at this moment its files say. */
export interface ProcessState {
  readonly id: string;
  readonly command: string;
  readonly survives: boolean;
  last: EventOf<'process.changed'>;
  /** False until the model was told of `last`. */
  isReported: boolean;
}

/** What a session is: a fold of its log. */
export interface State {
  seq: number;
  session?: EventOf<'session.opened'>;
  closed: boolean;
  model: string;
  mode: EventOf<'session.opened'>['mode'];
  limits: Limits;
  grant: EventOf<'session.opened'>['grant'];
  title?: string;
  summary?: string;
  /** Last turn that was started. */
  turn: number;
  /** The turn that has no answer yet. */
  openTurn?: EventOf<'turn.started'>;
  /** When the request under way failed first, in Unix milliseconds: an outage is as old as that, also after a restart. */
  failingSince?: number;
  /** The history as the model sees it. Only ever appended to, but for a compaction, which replaces the array. */
  messages: Message[];
  /** UTF-8 bytes of what is in `messages`, kept as a sum so that nobody has to count again. */
  bytes: number;
  /** `bytes` and prompt tokens of the last answered request: the base of the next estimate. */
  measured?: { bytes: number; tokens: number };
  /** Calls of the last answer that the history does not have results for. */
  calls: CallState[];
  /** Every id that a call of the session has had. */
  callIds: Set<string>;
  /** Files that tools deleted and nothing made again: after a crash they are no news. */
  deleted: Set<string>;
  /** Context found while calls were under way; enters the history behind their results. */
  held: Message[];
  /** What survives every compaction, in the order in which it was pinned. */
  pins: Pin[];
  run?: RunState;
  lastRun?: EventOf<'run.finished'>;
  /** Checks of earlier runs, the last ones: what they proved may still hold. */
  evidence: Evidence[];
  /** The workspace before the first effect of the last run, or of the run that it goes on with. */
  base?: TreeId;
  /** The workspace before the first effect of the session: how checks ran then is what later ones are held to. */
  origin?: TreeId;
  /** What the exit codes of checks depended on when each was first seen in the session. */
  environment?: Pick<CheckEnvironment, 'path' | 'shell' | 'programs'>;
  /** The workspace as it was last seen in this turn, where nothing has run since. */
  tree?: TreeId;
  /** The first prompt, for the title. */
  firstPrompt?: string;
  /** True once title and summary of the last run are settled. */
  titled: boolean;
  approvals: Map<string, EventOf<'approval.asked'>>;
  /** Approvals that hold for the rest of the session. */
  remembered: Remembered[];
  /** The turn whose effects have begun and are not kept as a state of the workspace yet. */
  openSnapshot?: EventOf<'workspace.snapshotted'>;
  /** The workspace behind the last turn with effects, and the run of that turn. */
  left?: { run: string; tree: TreeId; gitTree?: TreeId };
  /** What is known of the effects of that turn. */
  turnEffects?: TurnEffects;
  /** Background processes by their names, in the order in which they were started. */
  processes: Map<string, ProcessState>;
  /** The commit of the last checkpoint. */
  checkpoint?: string;
  /** The account of the session: what its requests cost and what is set aside. */
  ledger: Ledger;
  /** Counts over all runs of the session. */
  spent: { toolCalls: number; turns: number };
}

export function createState(): State {
  return {
    seq: 0,
    closed: false,
    model: '',
    mode: 'auto',
    limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0 },
    grant: { authorities: [] },
    turn: 0,
    messages: [],
    bytes: 0,
    calls: [],
    callIds: new Set(),
    deleted: new Set(),
    held: [],
    pins: [],
    titled: true,
    approvals: new Map(),
    remembered: [],
    evidence: [],
    processes: new Map(),
    ledger: new Map(),
    spent: { toolCalls: 0, turns: 0 },
  };
}

/** The session's opening; a state without one is a bug or an empty log. */
export function openedOf(state: State): EventOf<'session.opened'> {
  if (!state.session) throw new Error('the log does not begin with session.opened');
  return state.session;
}

/** The request that was reserved and whose end is not in the log. Between two steps only a process that is gone leaves one. */
export function openRequestOf(state: State): OpenRequest | undefined {
  return state.session && accountOf(state.ledger, state.session.session).open;
}

/** Every tool that a session may call by its real name, as far as its opening knows. */
export function toolsOf(state: State): string[] {
  const { tools, deferred = [] } = openedOf(state);
  return [...tools, ...deferred].filter((name) => name !== USE_TOOL);
}

export function runOf(state: State): RunState {
  if (!state.run) throw new Error('no run is under way');
  return state.run;
}

/** The present run, or the last one if none is under way; '' before the first run. */
export function runIdOf({ run, lastRun }: State): string {
  return run?.id ?? lastRun?.run ?? '';
}

/** What happened to a run, as `run.finished` will say. */
export interface Ending {
  outcome: Outcome;
  reason: string;
  /** For the outcome `limit`. */
  limit?: { limit: LimitName; used: number; cap: number; offer: number };
  /** Why Klaus itself could not keep a promise, for the outcome `failed`. */
  error?: EventOf<'run.finished'>['error'];
  /** Who stopped it, for the outcome `cancelled`. */
  by?: string;
}
