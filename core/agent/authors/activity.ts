import type { Event } from '../../protocol/index.ts';
import { toAbsolute } from '../folders/members.ts';

/** A time in which a session ran a call that may have changed any file. Unix milliseconds. */
export interface Window {
  from: number;
  /** Infinite while the call has no end in the log. */
  to: number;
  /** Its command provably changes no file. */
  isQuiet: boolean;
}

/** A change whose content the log knows: of an edit tool, or of a command whose changes were reviewed. */
export interface KnownWrite {
  /** Hash of the content before; null: there was no file. */
  before: string | null;
  /** Null for a deletion. */
  after: string | null;
  /** False for an intention: the call may have failed. */
  isDone: boolean;
}

/** What the log of a session says about its effects in a time. */
export interface Activity {
  /** Calls that may have changed any file. */
  commands: Window[];
  /** Other calls with effects. */
  edits: Window[];
  /** In order, by absolute path. */
  writes: Map<string, KnownWrite[]>;
  /** Absolute paths that differ between its states: it may have changed them, with a content that is not known. */
  touched: Set<string>;
}

export interface ActivityOptions {
  /** Absolute real path. */
  workspace: string;
  /** Unix milliseconds: what ended before is left out. */
  since: number;
  /** True for a tool that runs programs. */
  runsPrograms: (tool: string) => boolean;
  /** True for a call whose command provably changes no file. */
  isQuiet: (call: string) => boolean;
}

/** The clock of the file system can be this much behind, in milliseconds. */
const CLOCK_STEP_MS = 20;

/** Reads the activity of a session from its log, or from the end of it. */
export function readActivity(
  events: Iterable<Event>,
  { workspace, since, runsPrograms, isQuiet }: ActivityOptions,
): Activity {
  const activity: Activity = { commands: [], edits: [], writes: new Map(), touched: new Set() };
  const open = new Map<string, Window>();
  const write = (path: string, known: KnownWrite): void => {
    const absolute = toAbsolute(workspace, path);
    activity.writes.set(absolute, [...(activity.writes.get(absolute) ?? []), known]);
  };
  for (const event of events) {
    if (event.type === 'tool.started') {
      const from = event.mark === undefined ? event.at - CLOCK_STEP_MS : Number(event.mark) / 1e6;
      const window = { from, to: Number.POSITIVE_INFINITY, isQuiet: isQuiet(event.call) };
      const isCommand = !event.layer && (event.resume === 'tell' || runsPrograms(event.name));
      activity[isCommand ? 'commands' : 'edits'].push(window);
      open.set(event.call, window);
      // An edit is in the files before the event of its end.
      for (const { path, before, after } of event.changes) write(path, { before, after, isDone: false });
    }
    if (event.type === 'tool.finished') {
      const window = open.get(event.call);
      if (window) window.to = event.at;
      // What was found after a crash can be the work of others.
      if (event.outcome === 'unknown' || event.at < since) continue;
      for (const { path, before, after } of event.changes) write(path, { before, after, isDone: true });
    }
  }
  const isRecent = ({ to }: Window): boolean => to >= since;
  return { ...activity, commands: activity.commands.filter(isRecent), edits: activity.edits.filter(isRecent) };
}

/** Joins activities into one. */
export function joinActivities(all: readonly Activity[]): Activity {
  const writes: Activity['writes'] = new Map();
  for (const one of all)
    for (const [path, known] of one.writes) writes.set(path, [...(writes.get(path) ?? []), ...known]);
  const touched = new Set(all.flatMap((one) => [...one.touched]));
  return { commands: all.flatMap((one) => one.commands), edits: all.flatMap((one) => one.edits), writes, touched };
}

export function isWithin(at: number, { from, to }: Window): boolean {
  return at >= from && at <= to;
}
