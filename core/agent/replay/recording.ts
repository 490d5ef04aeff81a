import type { Command, Event, EventBody } from '../../protocol/index.ts';
import { SINCE_BEGIN } from '../context/outside-notice.ts';
import { CHANGES_LOST } from '../workspace/keep-state.ts';
import { createComparison, type Mismatch } from './compare.ts';
import { readCommands, toCommandId } from './recorded-commands.ts';

/** The first difference between a replay and its log. */
export interface ReplayDifference extends Mismatch {
  /** `request`: the loop sent another request to the model. `event`: it appended another event, or none. */
  kind: 'request' | 'event';
  /** The recorded event. */
  seq: number;
  /** Type of the recorded event. */
  type: string;
  turn?: number;
}

/** A log that is replayed, with the present position. */
export interface Recording {
  readonly events: readonly Event[];
  /** Index of the next recorded event. */
  readonly at: number;
  readonly next: Event | undefined;
  readonly difference: ReplayDifference | undefined;
  /** True if the log ends within a run. */
  readonly isCutOff: boolean;
  /** The number of the next request's attempt, from 1. */
  readonly attempt: number;
  /** Compares appended events with the log, and returns the recorded ones. */
  accept(bodies: readonly EventBody[], consumed: readonly string[]): Event[];
  inbox(): Command[];
  /** Delivers a cancel that arrived during a step. */
  cancel(): void;
  onCancel(listener: () => void): () => void;
  /** Resolves when the replay has reached this index. Rejects when the loop ends. */
  reached(index: number): Promise<void>;
  /** Ends the loop as the recorded process left it in an orderly way: the open step has no result. */
  depart(): void;
  /** Ends the loop as the recorded process crashed here. */
  crash(): never;
  /** Ends the replay with a difference. */
  differ(difference: Mismatch): never;
  /** Starts the next advance. @param leave Ends the loop without an event. */
  restart(leave: () => void): void;
  /** Skips events that the loop does not append, such as an undo. Returns their number. */
  skip(): number;
}

/** @param first Index of the first event that is replayed. */
export function createRecording(events: readonly Event[], first: number): Recording {
  const compare = createComparison();
  /** Calls whose results are later in the log. */
  const waiting: ({ index: number } & PromiseWithResolvers<void>)[] = [];
  let at = first;
  const inbox = createRecordedInbox(events, () => at);
  let difference: ReplayDifference | undefined;
  let isCutOff = false;
  let attempt = 1;
  let leave: () => void = () => {};
  const end = (message: string): never => {
    const error = new Error(message);
    leave();
    for (const { reject } of waiting) reject(error);
    throw error;
  };
  const endOfRecord = (): never => {
    isCutOff = true;
    return end('the record ends here');
  };
  const differ = (event: Event | undefined, mismatch: Mismatch): never => {
    if (!event) return endOfRecord();
    difference ??= toDifference(event, mismatch);
    return end('different');
  };
  const crash = (): never => (at >= events.length ? endOfRecord() : end('the process ended here'));
  return {
    events,
    ...inbox,
    crash,
    get at() {
      return at;
    },
    get next() {
      return events[at];
    },
    get difference() {
      return difference;
    },
    get isCutOff() {
      return isCutOff;
    },
    get attempt() {
      return attempt;
    },
    accept(bodies, consumed) {
      for (const [offset, body] of bodies.entries()) {
        const event = events[at + offset];
        if (!event) return endOfRecord();
        const mismatch = compare(event, body);
        // An event from outside the loop, such as an undo, was appended while no process held the session.
        if (mismatch && offset === 0 && isOutside(events, at)) return crash();
        if (mismatch) return differ(event, mismatch);
      }
      inbox.consume(consumed);
      const accepted = events.slice(at, at + bodies.length);
      const last = accepted.at(-1);
      attempt = last?.type === 'model.requested' ? last.attempt : 1;
      at += bodies.length;
      for (const { index, resolve } of waiting) if (index <= at) resolve();
      return accepted;
    },
    depart: () => leave(),
    reached(index) {
      if (index <= at) return Promise.resolve();
      const waiter = { index, ...Promise.withResolvers<void>() };
      waiting.push(waiter);
      return waiter.promise;
    },
    differ: (mismatch) => differ(events[at], mismatch),
    restart(given) {
      leave = given;
      attempt = 1;
    },
    skip() {
      const before = at;
      while (at < events.length && isOutside(events, at)) at++;
      return at - before;
    },
  };
}

/** The inbox at the present position: the commands that the next events answer, and a cancel. */
function createRecordedInbox(
  events: readonly Event[],
  at: () => number,
): Pick<Recording, 'inbox' | 'cancel' | 'onCancel'> & { consume(ids: readonly string[]): void } {
  const consumed = new Set<string>();
  const listeners = new Set<() => void>();
  let cancelled: Command | undefined;
  return {
    inbox: () => (cancelled ? [cancelled] : readCommands(events, at()).filter(({ id }) => !consumed.has(id))),
    cancel() {
      // Its id differs from those of recorded commands.
      cancelled = { type: 'cancel', id: `${toCommandId(at())}-cancel` };
      for (const listener of listeners) listener();
      // The recorded cancel is consumed like any other command.
      cancelled = undefined;
    },
    onCancel(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    consume(ids) {
      for (const id of ids) consumed.add(id);
    },
  };
}

function toDifference(event: Event, mismatch: Mismatch): ReplayDifference {
  const kind = mismatch.field === 'requestHash' ? 'request' : 'event';
  const turn = 'turn' in event ? { turn: event.turn } : {};
  return { kind, seq: event.seq, type: event.type, ...turn, ...mismatch };
}

/** The events that start and end a run. */
const EDGES: ReadonlySet<string> = new Set(['run.started', 'run.finished']);

/**
 * True for events that the loop does not append: the opening, an undo or redo with its message and the snapshot before
 * it, repeated checks, a refused pin, what a process did before it gave the session back or after a crash,
 * and notices between two runs.
 */
function isOutside(events: readonly Event[], at: number): boolean {
  const event = events[at];
  if (!event) return false;
  switch (event.type) {
    case 'session.opened':
    case 'session.closed':
    case 'evidence.verified':
      return true;
    case 'gate.decided':
      // The loop only judges calls within a run.
      return events.findLast(({ type }, index) => index < at && EDGES.has(type))?.type !== 'run.started';
    case 'notice':
      if ([SINCE_BEGIN, CHANGES_LOST, 'Not pinned. '].some((beginning) => event.text.startsWith(beginning)))
        return true;
      return !events.slice(0, at).some(({ type }) => type === 'run.started');
    case 'workspace.restored':
      return event.kind !== 'review';
    case 'workspace.snapshotted': {
      if (event.released === true) return true;
      const following = events[at + 1];
      return event.moment === 'after' && following?.type === 'workspace.restored' && following.kind !== 'review';
    }
    case 'message.added': {
      const before = events[at - 1];
      if (event.message.origin !== 'engine') return false;
      if (before?.type === 'notice') return before.text.startsWith(CHANGES_LOST);
      return before?.type === 'workspace.restored' && before.kind !== 'review';
    }
    default:
      return false;
  }
}
