import { NO_LIMITS, NO_USAGE } from '@klaus/core/protocol';
import type {
  Effort,
  EventOf,
  FileChange,
  Limits,
  Mode,
  Outcome,
  Reserved,
  TodoList,
  Usage,
} from '@klaus/core/protocol';
import type { ChildView } from './child-view.ts';
import type { Entry } from './entry.ts';

export interface RunView {
  id: string;
  /** Unix milliseconds. */
  startedAt: number;
  trigger: EventOf<'run.started'>['trigger'];
}

/** The state of a session on the page: the fold of its log. It does not depend on how the log was split into messages. */
export interface Conversation {
  /** Seq of the last folded event. */
  seq: number;
  session: string;
  workspace: string;
  model: string;
  /** The model that answers, if it is another one. */
  substitute?: string;
  /** Absent: the default of the model. */
  effort?: Effort;
  mode: Mode;
  title: string;
  limits: Limits;
  forked?: { session: string; seq: number };
  /** The session that started this one. A fork has none. */
  parent?: string;
  /** A closed session takes no messages. */
  isClosed: boolean;
  entries: Entry[];
  /** Index of each call in `entries`. */
  calls: Map<string, number>;
  /** Agents that this session started, by the id of their session. */
  children: Map<string, ChildView>;
  /** Calls that wait for agents. */
  waiting: Set<string>;
  /** The todo list that the agent keeps; absent: it has not set one. */
  todoList?: TodoList;
  /** Questions without an answer, oldest first. */
  approvals: Map<string, EventOf<'approval.asked'>>;
  run?: RunView;
  /** The request to a model that has no answer yet. */
  requested?: { purpose: 'turn' | 'compaction' | 'title' | 'review' | 'search' | 'program'; model: string; at: number };
  /** Time of the next attempt, in Unix milliseconds. */
  retryAt?: number;
  lastOutcome?: Outcome;
  /** The sum over all requests of the session and its agents, without those inherited by a fork. */
  usage: Usage;
  /** US dollars; null if a price is not known. */
  usd: number | null;
  /** What requests without the provider's figure may have cost in addition: it counts against the limits. */
  held: Reserved;
  toolCalls: number;
  turns: number;
  /** Minutes in which models worked, without those of a request in flight. */
  minutes: number;
  /** Prompt tokens of the last answered request. */
  contextTokens: number;
  /** Size of the context window in tokens; 0 if not known. */
  contextWindow: number;
  changed: Map<string, FileChange['kind']>;
  undone: Set<number>;
  /** Number of undos and restores that can be redone. */
  redoable: number;
  /** Turns that changed files and can be undone. */
  changing: Set<number>;
  /** The snapshot from the beginning of the current turn. */
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
    limits: NO_LIMITS,
    entries: [],
    calls: new Map(),
    isClosed: false,
    children: new Map(),
    waiting: new Set(),
    approvals: new Map(),
    usage: NO_USAGE,
    usd: 0,
    held: { tokens: 0, usd: 0 },
    toolCalls: 0,
    turns: 0,
    minutes: 0,
    contextTokens: 0,
    contextWindow: 0,
    changed: new Map(),
    undone: new Set(),
    redoable: 0,
    changing: new Set(),
  };
}
