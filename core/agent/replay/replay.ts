import { isKlausError, TOOL_SEARCH, USE_TOOL, type Event, type EventOf } from '../../protocol/index.ts';
import { advance } from '../loop/advance.ts';
import type { Ids } from '../ports/ids.ts';
import type { Tool } from '../ports/tool.ts';
import type { EngineSettings } from '../loop/settings.ts';
import { createRecordedActivities } from './recorded-activities.ts';
import { createRecordedEngine } from './recorded-engine.ts';
import { createRunningCalls } from './recorded-tools.ts';
import type { ReplayedRequest } from './recorded-model.ts';
import { createRecording, type Recording, type ReplayDifference } from './recording.ts';

export interface ReplayOptions {
  /** The complete log, in order. */
  events: readonly Event[];
  /** All tools of the engine: a request describes them to the model. */
  tools: readonly Tool[];
  settings: EngineSettings;
  ids: Ids;
  /** Resolves when all pending callbacks have run: a replay waits for no I/O, so that an open step then never ends. */
  idle: () => Promise<void>;
  /** Called for every request of the loop, in order. */
  onRequest?: (request: ReplayedRequest) => void;
}

export interface ReplayCounts {
  /** Events that the loop reproduced. */
  events: number;
  /** Requests with the recorded hash: of turns, titles, compactions and further attempts. */
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

/**
 * Runs the loop on a log: reproduces every request, every decision and every event of the loop from the recorded results
 * of models, tools, users and the workspace, and compares them. Has no effects.
 */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { events } = options;
  const opened = events[0];
  const counts: ReplayCounts = { events: 0, requests: 0, skipped: 0, inherited: 0 };
  const unplayable = (seq: number, reason: string): Replayed => ({ ...counts, outcome: 'unplayable', seq, reason });
  if (opened?.type !== 'session.opened') return unplayable(1, 'the log does not begin with session.opened');
  const known = new Set([...options.tools.map(({ name }) => name), TOOL_SEARCH, USE_TOOL]);
  const missing = opened.tools.filter((name) => !known.has(name));
  if (missing.length > 0) return unplayable(1, `this Klaus has no tool ${missing.join(', ')}`);
  const unknown = findUnknownTool(events, known);
  if (unknown) return unplayable(unknown.seq, `this Klaus has no tool ${unknown.name}, which the log calls`);
  const early = findEarly(events);
  const process = events.find(({ type }) => type === 'process.changed');
  if (process) return unplayable(process.seq, 'a background process ran, and the log does not contain its timing');
  if (early) return unplayable(early.seq, 'the log is of an early Klaus and does not contain the sizes of the model');
  if (opened.forked) counts.inherited = opened.forked.seq + opened.forked.settled;
  const recording = createRecording(events, counts.inherited);
  const running = createRunningCalls();
  const activities = createRecordedActivities(recording, running);
  const engine = createRecordedEngine(recording, {
    ...options,
    running,
    onRequest: (request) => options.onRequest?.(request),
  });
  const failed = await play(recording, (signal) => advance(engine, opened.session, { signal, activities }), {
    counts,
    idle: options.idle,
  });
  const done = events.slice(counts.inherited, recording.at);
  counts.events = done.length - counts.skipped;
  counts.requests = done.filter(({ type }) => type === 'turn.started' || type === 'model.requested').length;
  if (recording.difference && !events.some(({ type }) => type === 'turn.started')) {
    // The decision may depend on the sizes of the model, which the first turn contains.
    return unplayable(recording.difference.seq, 'the log does not contain the sizes of the model');
  }
  if (recording.difference) return { ...counts, outcome: 'different', difference: recording.difference };
  if (failed !== undefined) return unplayable(recording.next?.seq ?? events.length, failed);
  return { ...counts, outcome: 'equal', isCutOff: recording.isCutOff };
}

/** The first judged call of a tool that this engine does not have. */
function findUnknownTool(events: readonly Event[], known: ReadonlySet<string>): EventOf<'gate.decided'> | undefined {
  for (const event of events) {
    if (event.type !== 'gate.decided' || known.has(event.name) || TOOL_RULES.has(event.rule)) continue;
    if (!event.call.startsWith('checkpoint-')) return event;
  }
  return undefined;
}

/** Rules that refuse calls of unknown tools. */
const TOOL_RULES: ReadonlySet<string> = new Set(['tool', 'input']);

/** The first request without the model's sizes, in an early log. */
function findEarly(events: readonly Event[]): Event | undefined {
  return events.find((event) => event.type === 'turn.started' && !event.modelInfo);
}

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
      if (!controller.signal.aborted) return describe(error);
    }
    if (recording.difference || recording.isCutOff || !recording.next) return undefined;
    if (recording.at > before) continue;
    const skipped = recording.skip();
    counts.skipped += skipped;
    if (skipped === 0) return `the log contains no cause of this ${recording.next.type}`;
  }
}

function describe(error: unknown): string {
  if (isKlausError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
