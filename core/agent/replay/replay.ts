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
  /** The whole log, in order. */
  events: readonly Event[];
  /** All tools of the engine: a request describes them to the model. */
  tools: readonly Tool[];
  settings: EngineSettings;
  ids: Ids;
  /** Resolves when everything that is ready has run: a replay waits for nothing, so what is left then never comes. */
  idle: () => Promise<void>;
  /** Called for every request that the loop makes, in order, with what the model would have been sent. */
  onRequest?: (request: ReplayedRequest) => void;
}

export interface ReplayCounts {
  /** Events that the loop made again. */
  events: number;
  /** Requests with the recorded hash: of turns, and those for titles, compactions and further attempts. */
  requests: number;
  /** Events that the loop does not make, such as an undo: taken from the record. */
  skipped: number;
  /** Events that a fork took over from its original, which is replayed itself. */
  inherited: number;
}

/** What a replay came to. */
export type Replayed = ReplayCounts &
  (
    | {
        outcome: 'equal';
        /** The record ends in the middle of a run; up to there it is equal. */
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
 * Runs the loop again on a log: every request, every decision of the loop and every event is made anew from what
 * models, tools, people and the workspace are recorded to have said, and compared. Touches nothing.
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
  const strange = findStrange(events, known);
  if (strange) return unplayable(strange.seq, `this Klaus has no tool ${strange.name}, which was called there`);
  const early = findEarly(events);
  const process = events.find(({ type }) => type === 'process.changed');
  if (process) return unplayable(process.seq, 'a background process ran beside it, and a log does not hold its pace');
  if (early) return unplayable(early.seq, 'the log is of an early Klaus and does not say what was known of the model');
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
    // It may have been decided from the sizes of the model, which stand in the first turn.
    return unplayable(recording.difference.seq, 'the log does not say what was known of the model');
  }
  if (recording.difference) return { ...counts, outcome: 'different', difference: recording.difference };
  if (failed !== undefined) return unplayable(recording.next?.seq ?? events.length, failed);
  return { ...counts, outcome: 'equal', isCutOff: recording.isCutOff };
}

/** The first judged call of a tool that was added to the engine of the record. */
function findStrange(events: readonly Event[], known: ReadonlySet<string>): EventOf<'gate.decided'> | undefined {
  for (const event of events) {
    if (event.type !== 'gate.decided' || known.has(event.name) || UNKNOWN.has(event.rule)) continue;
    if (!event.call.startsWith('checkpoint-')) return event;
  }
  return undefined;
}

/** Rules that refuse what is no tool. */
const UNKNOWN: ReadonlySet<string> = new Set(['tool', 'input']);

/** The first request of a log that was made before requests and the model's sizes were recorded. */
function findEarly(events: readonly Event[]): Event | undefined {
  return events.find((event) => event.type === 'turn.started' && !event.modelInfo);
}

/** Advances as often as the record says that somebody did. Gives the reason when it cannot be gone on. */
async function play(
  recording: Recording,
  go: (signal: AbortSignal) => Promise<unknown>,
  { counts, idle }: { counts: ReplayCounts; idle: () => Promise<void> },
): Promise<string | undefined> {
  for (;;) {
    counts.skipped += recording.skip();
    if (!recording.next) return undefined;
    const before = recording.at;
    const controller = new AbortController();
    recording.restart(() => controller.abort());
    try {
      const isDone = await Promise.race([go(controller.signal).then(() => true), idle().then(() => false)]);
      if (!isDone) {
        controller.abort();
        return `the loop waits for something that the record does not hold before this ${recording.next.type}`;
      }
    } catch (error) {
      // Left on purpose, or a log that no session ever wrote.
      if (!controller.signal.aborted) return describe(error);
    }
    if (recording.difference || recording.isCutOff || !recording.next) return undefined;
    if (recording.at > before) continue;
    const skipped = recording.skip();
    counts.skipped += skipped;
    if (skipped === 0) return `nothing that is known of the session leads to this ${recording.next.type}`;
  }
}

function describe(error: unknown): string {
  if (isKlausError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
