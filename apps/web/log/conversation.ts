import { NO_USAGE } from '@klaus/core/protocol';
import type { EventOf, FileChange, Limits, Mode, Outcome, Usage } from '@klaus/core/protocol';
import type { Entry } from './entry.ts';

/** The current run. */
export interface RunView {
  id: string;
  /** Unix milliseconds. */
  startedAt: number;
  turns: number;
  toolCalls: number;
}

/**
 * What the page knows of a session: a fold of its log and of nothing else. Two logs that are equal give views that
 * are equal, whenever and in however many pieces they came.
 */
export interface Conversation {
  /** Last event that was taken in. */
  seq: number;
  session: string;
  workspace: string;
  model: string;
  mode: Mode;
  title: string;
  pinned: boolean;
  closed: boolean;
  limits: Limits;
  sandbox: string;
  isolated: boolean;
  forked?: { session: string; seq: number };
  turn: number;
  entries: Entry[];
  /** Place of each call in `entries`. */
  calls: Map<string, number>;
  /** Questions without an answer, oldest first. */
  approvals: Map<string, EventOf<'approval.asked'>>;
  run?: RunView;
  /** The request to a model that has no answer yet. */
  requested?: { purpose: 'turn' | 'compaction' | 'title'; model: string; at: number };
  /** Another attempt follows at this time, in Unix milliseconds. */
  retryAt?: number;
  lastOutcome?: Outcome;
  /** Summed over every request, those that a fork took over left out. */
  usage: Usage;
  /** US dollars; null once a price is not known. */
  usd: number | null;
  toolCalls: number;
  turns: number;
  /** Prompt tokens of the last answered request. */
  contextTokens: number;
  /** Tokens that the model's window holds; 0 when not known. */
  contextWindow: number;
  /** Last known change of each file that a tool named. */
  changed: Map<string, FileChange['kind']>;
  /** Turns whose changes are taken back at present. */
  undone: Set<number>;
  /** Turns that changed files, so that they can be taken back. */
  changing: Set<number>;
  /** Where a snapshot of the turn under way began. */
  treeBefore?: string;
}

export function createConversation(session: string): Conversation {
  return {
    seq: 0,
    session,
    workspace: '',
    model: '',
    mode: 'auto',
    title: '',
    pinned: false,
    closed: false,
    limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0 },
    sandbox: '',
    isolated: false,
    turn: 0,
    entries: [],
    calls: new Map(),
    approvals: new Map(),
    usage: NO_USAGE,
    usd: 0,
    toolCalls: 0,
    turns: 0,
    contextTokens: 0,
    contextWindow: 0,
    changed: new Map(),
    undone: new Set(),
    changing: new Set(),
  };
}
