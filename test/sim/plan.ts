import {
  NO_LIMITS,
  type Effect,
  type Limits,
  type Mode,
  type ModelFailureCode,
  type OnAsk,
  type Resume,
  type StopReason,
} from '@klaus/core/protocol';
import { createChance, type Chance } from '../undo/chance.ts';
import type { ClusterFault } from './cluster/cluster-fault.ts';

/** A tool of the simulated world. */
export interface PlannedTool {
  name: string;
  effects: readonly Effect[];
  resume: Resume;
  inPlace?: boolean;
}

/** All effects, with all kinds of recovery. */
export const TOOLS: readonly PlannedTool[] = [
  { name: 'look', effects: ['read'], resume: 'repeat' },
  { name: 'study', effects: ['read'], resume: 'repeat' },
  { name: 'write', effects: ['write'], resume: 'probe' },
  { name: 'move', effects: ['write'], resume: 'probe' },
  { name: 'shell', effects: ['read', 'write', 'execute'], resume: 'tell' },
  { name: 'check', effects: ['read', 'execute'], resume: 'tell' },
  { name: 'commit', effects: ['write', 'execute'], resume: 'tell', inPlace: true },
  { name: 'post', effects: ['network'], resume: 'tell' },
  { name: 'deploy', effects: ['deploy'], resume: 'tell' },
  { name: 'delegate', effects: ['spawn'], resume: 'tell' },
  { name: 'deaf', effects: ['execute'], resume: 'tell' },
];

export interface PlannedCall {
  tool: string;
  path: string;
  text: string;
  /** Milliseconds that it runs. */
  ms: number;
  /** How it fails, if it does: a failed result, a KlausError, a bug, or an invalid input. */
  wrong?: 'red' | 'error' | 'bug' | 'schema' | 'text' | 'unknown';
}

export interface PlannedFailure {
  code: ModelFailureCode;
  /** HTTP status, if the provider refuses the request without a charge. */
  status?: number;
  /** Number of stream events before the failure. */
  after: number;
  /** Milliseconds. */
  retryAfter?: number;
  /** True if the stream hangs without an end. */
  hangs?: boolean;
}

export interface PlannedAnswer {
  thinking: boolean;
  words: string;
  calls: PlannedCall[];
  stop?: StopReason;
  /** Failures of the first attempts. */
  failures: PlannedFailure[];
  /** Length in percent of the maximum. */
  filled: number;
}

/** An act of the user or of another client at a given time. */
export interface PlannedAct {
  /** Simulated milliseconds after the beginning. */
  at: number;
  what: (typeof ACTS)[number];
  /** Seed of this act, so that the removal of another act does not change it. */
  salt: number;
}

/** The answer to the question with this number. */
export interface PlannedReply {
  answer: 'approved' | 'rejected' | 'never';
  /** Milliseconds. */
  delay: number;
  /** A second answer at the same time, the same or the opposite. */
  second?: 'same' | 'other';
  scope?: 'session' | 'project';
  /** Only some hunks. */
  inPart?: boolean;
  /** The user changes the subject of the question before the answer. */
  edits?: boolean;
}

export type PlannedFault =
  /** The process that holds the session dies before this step. */
  | { kind: 'crash'; step: number }
  /** The process dies when a task with this label is ready for the n-th time. */
  | { kind: 'crash-at'; label: string; nth: number }
  /** The n-th write to the store fails. */
  | { kind: 'store'; nth: number; code: 'store.full' | 'store.busy' }
  /** The n-th command cannot be started. */
  | { kind: 'sandbox'; nth: number }
  /** The n-th snapshot of the workspace fails. */
  | { kind: 'snapshot'; nth: number };

/** All decisions of a seed before the simulation. */
export interface Plan {
  seed: number;
  /** True: only crashes happen. The same plan without them must give the same canonical log. */
  isCalm: boolean;
  mode: Mode;
  onAsk: OnAsk;
  patchApproval: boolean;
  isolate: boolean;
  checkpoint: 'auto' | 'manual';
  snapshots: boolean;
  wide: boolean;
  limits: Limits;
  contextWindow: number;
  prompts: number;
  answers: PlannedAnswer[];
  acts: PlannedAct[];
  replies: PlannedReply[];
  faults: PlannedFault[];
  /** Only in the lives of a cluster. */
  cluster?: ClusterFault[];
}

/** Labels of waits that are interesting for a crash. */
export const CRASH_LABELS = [
  'append',
  'appended',
  'effect',
  'effected',
  'model request',
  'model piece',
  'layer open',
  'snapshot',
  'snapshots apply',
  'workspace half',
  'workspace applied',
  'checkpoint',
  'checkpointed',
  'sandbox exec',
] as const;

const PATHS = ['a.txt', 'b.txt', 'src/c.txt', 'src/deep/d.txt', 'AGENTS.md', 'package.json', '.env', '.git/config'];
/** A value that must never be in a log or in a request. */
export const SECRET = 'swordfish-0451-zulu';

/** The plan of a seed. */
export function createPlan(seed: number): Plan {
  const chance = createChance(seed ^ 0x5eed);
  const isCalm = chance.percent(30);
  const mode = chance.pick<Mode>(['auto', 'auto', 'auto', 'auto', 'ask', 'ask', 'edits', 'plan']);
  const hasLimits = !isCalm && chance.percent(40);
  const answers = Array.from({ length: 1 + chance.number(5) }, () => toAnswer(chance, isCalm));
  return {
    seed,
    isCalm,
    mode: isCalm && mode === 'plan' ? 'auto' : mode,
    onAsk: chance.percent(80) ? 'wait' : 'deny',
    patchApproval: chance.percent(18),
    isolate: chance.percent(12),
    checkpoint: chance.percent(60) ? 'auto' : 'manual',
    snapshots: chance.percent(85),
    wide: chance.percent(50),
    limits: hasLimits ? toLimits(chance) : NO_LIMITS,
    contextWindow: chance.percent(20) ? 5_000 + chance.number(6_000) : 200_000,
    prompts: !isCalm && chance.percent(25) ? 2 : 1,
    answers,
    acts: isCalm ? [] : toActs(chance),
    replies: Array.from({ length: 12 }, () => toReply(chance, isCalm)),
    faults: toFaults(chance, isCalm),
  };
}

function toLimits(chance: Chance): Limits {
  return {
    tokens: chance.percent(60) ? 3_000 + chance.number(20_000) : 0,
    usd: chance.percent(40) ? 0.01 + chance.number(100) / 1_000 : 0,
    toolCalls: chance.percent(40) ? 1 + chance.number(8) : 0,
    turns: chance.percent(40) ? 1 + chance.number(6) : 0,
    minutes: 0,
  };
}

const STOPS = ['max_tokens', 'refusal', 'pause_turn', 'model_context_window_exceeded', 'stop_sequence'] as const;

function toAnswer(chance: Chance, isCalm: boolean): PlannedAnswer {
  const calls = chance.percent(15) ? [] : Array.from({ length: 1 + chance.number(4) }, () => toCall(chance));
  const stop = chance.percent(isCalm ? 6 : 15) ? chance.pick(STOPS) : undefined;
  const isEmpty = calls.length === 0 && chance.percent(30);
  const failures = chance.percent(isCalm ? 15 : 30)
    ? Array.from({ length: 1 + chance.number(isCalm ? 2 : 4) }, () => toFailure(chance, isCalm))
    : [];
  return {
    thinking: chance.percent(20),
    words: isEmpty ? '' : chance.percent(60) ? `words ${chance.number(1_000)}` : calls.length > 0 ? '' : 'well',
    calls,
    stop,
    failures,
    filled: chance.percent(70) ? 2 : 1 + chance.number(100),
  };
}

const WRONG = ['red', 'error', 'bug', 'schema', 'text', 'unknown'] as const;

function toCall(chance: Chance): PlannedCall {
  const isBig = chance.percent(8);
  return {
    tool: chance.pick(chance.percent(35) ? ['look', 'study'] : TOOLS.map(({ name }) => name)),
    path: chance.percent(75) ? chance.pick(PATHS.slice(0, 4)) : chance.percent(6) ? '../out' : chance.pick(PATHS),
    text: isBig
      ? 'long line\n'.repeat(300 + chance.number(600))
      : `text ${chance.number(100_000)}${chance.percent(4) ? ` ${SECRET}` : ''}\n`,
    ms: chance.percent(60) ? 0 : chance.number(3_000),
    ...(chance.percent(12) ? { wrong: chance.pick(WRONG) } : {}),
  };
}

const PASSING = [
  { code: 'rate_limited', status: 429 },
  { code: 'overloaded', status: 529 },
  { code: 'server_error', status: 500 },
  { code: 'connection' },
  { code: 'malformed' },
] as const;
const FINAL = [
  { code: 'auth', status: 401 },
  { code: 'invalid_request', status: 400 },
  { code: 'context_window', status: 400 },
] as const;

function toFailure(chance: Chance, isCalm: boolean): PlannedFailure {
  const failure = chance.percent(isCalm ? 0 : 15) ? chance.pick(FINAL) : chance.pick(PASSING);
  const hasStatus = 'status' in failure;
  const hangs = !hasStatus && chance.percent(30);
  return {
    ...failure,
    after: hasStatus ? 0 : chance.number(4),
    ...(hangs ? { hangs } : {}),
    ...(hasStatus && chance.percent(30) ? { retryAfter: chance.number(isCalm ? 60_000 : 400_000) } : {}),
  };
}

const ACTS = [
  'steer',
  'queue',
  'withdraw',
  'cancel',
  'limits',
  'mode',
  'revoke',
  'edit',
  'resume',
  'stale',
  'again',
  'compact',
  'shell',
] as const;

function toActs(chance: Chance): PlannedAct[] {
  const count = chance.percent(25) ? 0 : 1 + chance.number(6);
  return Array.from({ length: count }, () => ({
    at: chance.percent(70) ? chance.number(1_500) : chance.number(20_000),
    what: chance.pick(ACTS),
    salt: chance.number(1_000_000),
  }));
}

function toReply(chance: Chance, isCalm: boolean): PlannedReply {
  const answer = chance.percent(70) ? 'approved' : chance.percent(70) || isCalm ? 'rejected' : 'never';
  return {
    answer,
    delay: isCalm ? 100 : chance.percent(80) ? chance.number(3_000) : chance.number(200_000),
    ...(!isCalm && chance.percent(15) ? { second: chance.pick(['same', 'other'] as const) } : {}),
    ...(chance.percent(15) ? { scope: chance.pick(['session', 'project'] as const) } : {}),
    ...(chance.percent(15) ? { inPart: true } : {}),
    ...(!isCalm && chance.percent(35) ? { edits: true } : {}),
  };
}

function toFaults(chance: Chance, isCalm: boolean): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const crashes = chance.percent(isCalm ? 5 : 35) ? 0 : 1 + chance.number(3);
  for (let count = 0; count < crashes; count++) {
    faults.push(
      chance.percent(50)
        ? { kind: 'crash', step: 3 + chance.number(chance.percent(50) ? 60 : 250) }
        : { kind: 'crash-at', label: chance.pick(CRASH_LABELS), nth: 1 + chance.number(6) },
    );
  }
  if (isCalm) return faults;
  if (chance.percent(15))
    faults.push({
      kind: 'store',
      nth: 2 + chance.number(30),
      code: chance.pick(['store.full', 'store.busy'] as const),
    });
  if (chance.percent(12)) faults.push({ kind: 'sandbox', nth: 1 + chance.number(4) });
  if (chance.percent(8)) faults.push({ kind: 'snapshot', nth: 1 + chance.number(5) });
  return faults;
}
