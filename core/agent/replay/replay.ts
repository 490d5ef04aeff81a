import { findOwnWork, toKlausError, USE_TOOL, type Event, type EventOf } from '../../protocol/index.ts';
import { advance } from '../loop/advance.ts';
import { isSessionTool } from '../ports/session-tools.ts';
import { createRecordedActivities } from './recorded-activities.ts';
import { createRecordedEngine, type RecordedEngineOptions } from './recorded-engine.ts';
import { createRecording, type Recording, type ReplayDifference } from './recording.ts';

export interface ReplayOptions extends RecordedEngineOptions {
  /** The complete log, in order. */
  events: readonly Event[];
  /** Resolves when all pending callbacks have run: a replay waits for no I/O, so that an open step then never ends. */
  idle: () => Promise<void>;
}

export interface ReplayCounts {
  /** Events that the loop reproduced. */
  events: number;
  /** Requests with the recorded hash: of turns, titles, compactions and further attempts. Not those of reviewers and of searches. */
  requests: number;
  /** Events that the loop does not append, such as an undo. They are copied from the log. */
  skipped: number;
  /** Events that a fork copied from its original, which is replayed separately. */
  inherited: number;
}

/** The result of a replay. */
export type Replayed = ReplayCounts &
  (
    | {
        outcome: 'equal';
        /** The log ends within a run; it is equal up to its end. */
        isCutOff: boolean;
      }
    | { outcome: 'different'; difference: ReplayDifference }
    | {
        outcome: 'unplayable';
        /** Seq of the event that could not be replayed. */
        seq: number;
        reason: string;
      }
  );

/** Runs the loop on a log and compares all requests, decisions and events. Has no effects. */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { events } = options;
  const opened = events[0];
  const counts: ReplayCounts = { events: 0, requests: 0, skipped: 0, inherited: 0 };
  const unplayable = (seq: number, reason: string): Replayed => ({ ...counts, outcome: 'unplayable', seq, reason });
  if (opened?.type !== 'session.opened') return unplayable(1, 'the log does not begin with session.opened');
  if (opened.runner)
    return unplayable(1, `${opened.runner.name} drove the agent: the loop of another program cannot be repeated`);
  const known = new Set([...options.tools.names, USE_TOOL]);
  const missing = opened.tools.filter((name) => !known.has(name));
  if (missing.length > 0) return unplayable(1, `this Klaus has no tool ${missing.join(', ')}`);
  const unknown = findUnknownTool(events, known);
  if (unknown) return unplayable(unknown.seq, `this Klaus has no tool ${unknown.name}, which the log calls`);
  const process = events.find(({ type }) => type === 'process.changed');
  if (process) return unplayable(process.seq, 'a background process ran, and the log does not contain its timing');
  const early = events.find((event) => event.type === 'turn.started' && !event.modelInfo);
  if (early) return unplayable(early.seq, 'the log is of an early Klaus and does not contain the sizes of the model');
  if (opened.forked) counts.inherited = opened.forked.seq + opened.forked.settled;
  const recording = createRecording(events, counts.inherited);
  const activities = createRecordedActivities(recording);
  const engine = createRecordedEngine(recording, options);
  const failed = await play(recording, (signal) => advance(engine, opened.session, { signal, activities }), {
    counts,
    idle: options.idle,
  });
  const done = events.slice(counts.inherited, recording.at);
  counts.events = done.length - counts.skipped;
  counts.requests = done.filter(
    (event) => event.type === 'turn.started' || (event.type === 'model.requested' && !COPIED.has(event.purpose)),
  ).length;
  if (recording.difference && !events.some(({ type }) => type === 'turn.started')) {
    // The decision may depend on the sizes of the model, which the first turn contains.
    return unplayable(recording.difference.seq, 'the log does not contain the sizes of the model');
  }
  if (recording.difference) return { ...counts, outcome: 'different', difference: recording.difference };
  if (failed !== undefined) return unplayable(recording.next?.seq ?? events.length, failed);
  return { ...counts, outcome: 'equal', isCutOff: recording.isCutOff };
}

/** Purposes of requests that a replay copies from the log. */
const COPIED: ReadonlySet<string> = new Set(['review', 'search']);

/** The first judged call of a tool that this engine does not have. */
function findUnknownTool(events: readonly Event[], known: ReadonlySet<string>): EventOf<'gate.decided'> | undefined {
  return events
    .filter((event) => event.type === 'gate.decided')
    .find(
      ({ name, rule, call }) =>
        !known.has(name) && !isSessionTool(name) && !TOOL_RULES.has(rule) && findOwnWork(call) !== 'checkpoint',
    );
}

/** Rules that refuse calls of unknown tools. */
const TOOL_RULES: ReadonlySet<string> = new Set(['tool', 'input']);

/** Advances as often as the log shows. Returns the reason if the replay cannot continue. */
async function play(
  recording: Recording,
  advanceOnce: (signal: AbortSignal) => Promise<unknown>,
  { counts, idle }: { counts: ReplayCounts; idle: () => Promise<void> },
): Promise<string | undefined> {
  for (;;) {
    counts.skipped += recording.skip();
    if (!recording.next) return undefined;
    const before = recording.at;
    const controller = new AbortController();
    recording.restart(() => controller.abort());
    try {
      const isDone = await Promise.race([advanceOnce(controller.signal).then(() => true), idle().then(() => false)]);
      if (!isDone) {
        controller.abort();
        return `the loop waits for a result that the log does not contain before this ${recording.next.type}`;
      }
    } catch (error) {
      // Without an abort, the log is invalid.
      if (!controller.signal.aborted) return toKlausError(error).message;
    }
    if (recording.difference || recording.isCutOff || !recording.next) return undefined;
    if (recording.at > before) continue;
    const skipped = recording.skip();
    counts.skipped += skipped;
    if (skipped === 0) return `the log contains no cause of this ${recording.next.type}`;
  }
}
