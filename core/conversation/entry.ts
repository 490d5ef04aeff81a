import type { Event, EventOf, EventType, FilePart, ImagePart, ToolResult } from '@klaus/core/protocol';
import type { ChildView } from './child-view.ts';

interface EntryBase {
  /** Of the message, the call or the question. */
  id: string;
  /** Of the event with which the entry begins. */
  seq: number;
  /** Unix milliseconds. */
  at: number;
}

interface EntryOfTurn extends EntryBase {
  turn: number;
}

/** A message of the user: a prompt or a steering message. */
export interface UserEntry extends EntryOfTurn {
  kind: 'user';
  text: string;
  steered: boolean;
  files: readonly FilePart[];
  images: readonly ImagePart[];
}

/** A message of the model. Its tool calls are separate entries. */
export interface ModelEntry extends EntryOfTurn {
  kind: 'model';
  text: string;
  thinking: string;
  /** The run was cancelled or failed while the message was streamed. */
  isCut?: true;
}

/** The state of a call. `waiting`: before the decision of the gate, or behind other calls. */
export type CallState = 'waiting' | 'asked' | 'running' | 'finished';

/** One tool call from the request of the model to the result. */
export interface CallEntry extends EntryOfTurn {
  kind: 'call';
  /** Name of the tool, also if it is called through `use_tool`. */
  name: string;
  input: unknown;
  /** Present for a command that the user entered. */
  by?: 'user';
  state: CallState;
  /** Decisions of the gate, in order. */
  decisions: readonly EventOf<'gate.decided'>[];
  /** Start of the execution, in Unix milliseconds. */
  startedAt?: number;
  /** Unified diff of the change, if it was known before the execution. */
  diff?: string;
  asked?: EventOf<'approval.asked'>;
  answer?: EventOf<'approval.answered'>;
  result?: ToolResult;
  resultSeq?: number;
  /** The agent that it started, or sent a message to. */
  child?: ChildView;
  /** Ids of the agents that it waits for. */
  awaits?: readonly string[];
}

/** A question about a limit, which belongs to no call. */
export interface LimitEntry extends EntryBase {
  kind: 'limit';
  asked: EventOf<'approval.asked'>;
  answer?: EventOf<'approval.answered'>;
}

/**
 * How the page shows each type of event. `line`: as a line of its own; `entry`: as a part of another entry; `state`: only
 * in the folded state.
 */
const VIEWS = {
  'session.opened': 'line',
  'session.changed': 'state',
  'session.closed': 'line',
  'grant.changed': 'state',
  'grant.escalated': 'line',
  'child.opened': 'entry',
  'child.finished': 'entry',
  'child.closed': 'entry',
  'run.started': 'state',
  'run.finished': 'line',
  'runner.opened': 'line',
  'turn.started': 'state',
  'turn.finished': 'state',
  'model.requested': 'state',
  'model.attempted': 'line',
  'message.added': 'entry',
  'gate.decided': 'entry',
  'tool.started': 'entry',
  'tool.waiting': 'entry',
  'tool.finished': 'entry',
  'approval.asked': 'entry',
  'approval.answered': 'entry',
  'approval.changed': 'entry',
  'workspace.snapshotted': 'state',
  'workspace.restored': 'line',
  'workspace.committed': 'line',
  'workingCopy.ended': 'line',
  'evidence.verified': 'line',
  'compaction.requested': 'state',
  'context.compacted': 'line',
  'context.pinned': 'line',
  'context.unpinned': 'line',
  'content.refused': 'state',
  'process.changed': 'line',
  'usage.counted': 'line',
  notice: 'line',
} as const satisfies Record<EventType, 'line' | 'entry' | 'state'>;

export type FactType = { [T in EventType]: (typeof VIEWS)[T] extends 'line' ? T : never }[EventType];
export type FactEvent = EventOf<FactType>;

/** True for an event with a line of its own. Successful and cancelled requests, and those for a title, have none. */
export function isFact(event: Event): event is FactEvent {
  if (event.type === 'model.attempted') {
    return event.outcome !== 'ok' && event.outcome !== 'cancelled' && event.purpose !== 'title';
  }
  return VIEWS[event.type] === 'line';
}

export interface FactEntry extends EntryBase {
  kind: 'fact';
  event: FactEvent;
}

/** One item of a conversation. Immutable: a change creates a new object. */
export type Entry = UserEntry | ModelEntry | CallEntry | LimitEntry | FactEntry;

/** True for the input of a tool that runs a command. */
export function isCommand(input: unknown): input is { command: string } {
  return typeof input === 'object' && input !== null && typeof (input as { command?: unknown }).command === 'string';
}
