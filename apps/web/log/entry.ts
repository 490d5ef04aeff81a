import type { Event, EventOf, EventType, FilePart, ImagePart, ToolResult } from '@klaus/core/protocol';

/** What a person, or whoever steered, said. */
export interface UserEntry {
  kind: 'user';
  /** Id of the message. */
  id: string;
  seq: number;
  at: number;
  turn: number;
  text: string;
  steered: boolean;
  files: readonly FilePart[];
  images: readonly ImagePart[];
}

/** What the model said; its calls are entries of their own. */
export interface ModelEntry {
  kind: 'model';
  id: string;
  seq: number;
  at: number;
  turn: number;
  text: string;
  thinking: string;
}

/** How far a call has come. `waiting`: it stands behind others, or the gate has not looked yet. */
export type CallState = 'waiting' | 'asked' | 'running' | 'finished';

/** One call of a tool from the model's word to its result. */
export interface CallEntry {
  kind: 'call';
  /** Id of the call. */
  id: string;
  seq: number;
  at: number;
  turn: number;
  /** The tool that is meant, also where it is called through another. */
  name: string;
  input: unknown;
  state: CallState;
  /** What the gate said, in order. */
  decisions: readonly EventOf<'gate.decided'>[];
  /** When its effect began, in Unix milliseconds. */
  startedAt?: number;
  /** Unified diff of the change, where it was known beforehand. */
  diff?: string;
  /** The last question about it. */
  asked?: EventOf<'approval.asked'>;
  answer?: EventOf<'approval.answered'>;
  result?: ToolResult;
  /** Seq of the result. */
  resultSeq?: number;
}

/** A question that belongs to no call: a limit was reached. */
export interface LimitEntry {
  kind: 'limit';
  id: string;
  seq: number;
  at: number;
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
  'run.started': 'state',
  'run.finished': 'line',
  'turn.started': 'state',
  'turn.finished': 'state',
  'model.requested': 'state',
  'model.attempted': 'line',
  'message.added': 'entry',
  'gate.decided': 'entry',
  'tool.started': 'entry',
  'tool.finished': 'entry',
  'approval.asked': 'entry',
  'approval.answered': 'entry',
  'workspace.snapshotted': 'state',
  'workspace.restored': 'line',
  'workspace.committed': 'line',
  'evidence.verified': 'line',
  'context.compacted': 'line',
  'context.pinned': 'line',
  'context.unpinned': 'line',
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

export interface FactEntry {
  kind: 'fact';
  id: string;
  seq: number;
  at: number;
  event: FactEvent;
}

/** One thing that a reader of a session sees. Never changed in place: a change makes a new one. */
export type Entry = UserEntry | ModelEntry | CallEntry | LimitEntry | FactEntry;
