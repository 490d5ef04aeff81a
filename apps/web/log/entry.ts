import type { EventOf, EventType, FilePart, ImagePart, ToolResult } from '@klaus/core/protocol';

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

/** Events that are one line each. */
export const FACT_TYPES = [
  'session.opened',
  'session.closed',
  'run.finished',
  'model.attempted',
  'workspace.restored',
  'workspace.committed',
  'evidence.verified',
  'context.compacted',
  'context.pinned',
  'context.unpinned',
  'process.changed',
  'usage.counted',
  'notice',
] as const satisfies readonly EventType[];

export type FactType = (typeof FACT_TYPES)[number];
export type FactEvent = EventOf<FactType>;

export interface FactEntry {
  kind: 'fact';
  id: string;
  seq: number;
  at: number;
  event: FactEvent;
}

/** One thing that a reader of a session sees. Never changed in place: a change makes a new one. */
export type Entry = UserEntry | ModelEntry | CallEntry | LimitEntry | FactEntry;
