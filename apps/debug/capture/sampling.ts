import { findOwnScope, type PausedFrame, type Position } from './paused-frame.ts';

/** Errors of one place that are captured one after the other, and how many more in each second. */
export const BURST = 30;
const PER_SECOND = 50;
/** How long a place with more is left alone. */
const MUTE_MS = 100;
const MOST_PLACES = 1000;
/** A deep stack is muted in larger steps. */
const SINGLE_STEPS = 8;

interface Place {
  left: number;
  /** Of the last look, in milliseconds. */
  at: number;
  /** Functions between the throw and what catches it. */
  depth: number;
  /** Callers that were added in this time. */
  steps: number;
  isMuted: boolean;
}

export interface SamplingOptions {
  post: (method: string, parameters: object) => unknown;
  urlOf: (scriptId: string) => string | undefined;
  /** Receives each place that is muted: of the first frame of the program. */
  onMuted: (frame: PausedFrame) => void;
  /** Milliseconds. */
  now: () => number;
  /** Calls a function once. Returns how to give that up. */
  later: (run: () => void, ms: number) => () => void;
}

export interface Sampling {
  /**
   * True if the error of a pause is captured.
   *
   * @param first Index of the first frame of the program.
   */
  admits: (frames: readonly PausedFrame[], first: number) => boolean;
  close: () => void;
}

type Range = readonly [start: Position, end: Position];

/**
 * A pause costs half a millisecond regardless of what is done in it. For a place that throws more often than {@link BURST}, V8 is
 * asked to pass over errors that the functions of the place throw and catch among themselves, for a short time. What it
 * passes over is known by trial: while it still pauses, the next caller is added. Errors that leave these functions, and
 * those that nothing catches, are captured always.
 */
export function createSampling({ post, urlOf, onMuted, now, later }: SamplingOptions): Sampling {
  const places = new Map<string, Place>();
  const ranges = new Map<string, Range[]>();
  const files = new Set<string>();
  let isCoarse = false;
  let cancel: (() => void) | undefined;

  function find(key: string): Place {
    const at = now();
    const known = places.get(key);
    const place = known ?? { left: BURST, at, depth: 0, steps: 0, isMuted: false };
    place.left = Math.min(BURST, place.left + ((at - place.at) / 1000) * PER_SECOND);
    place.at = at;
    if (known) return place;
    if (places.size >= MOST_PLACES) places.delete(places.keys().next().value!);
    places.set(key, place);
    return place;
  }

  const toUrl = ({ url, location }: PausedFrame): string => url || urlOf(location.scriptId) || '';

  function isMuted(frame: PausedFrame): boolean {
    const range = toRange(frame);
    if (!range) return files.has(toUrl(frame));
    return (ranges.get(frame.location.scriptId) ?? []).some((other) => contains(other, range));
  }

  function mute(frames: readonly PausedFrame[]): void {
    for (const frame of frames) {
      if (isMuted(frame)) continue;
      const range = toRange(frame);
      const { scriptId } = frame.location;
      if (range) {
        const listed = [...(ranges.get(scriptId) ?? []), range];
        ranges.set(scriptId, listed);
        post('Debugger.setBlackboxedRanges', { scriptId, positions: toPositions(listed) });
      } else {
        files.add(toUrl(frame));
        post('Debugger.setBlackboxPatterns', { patterns: [...files].filter((url) => url !== '').map(toPattern) });
      }
    }
    cancel ??= later(lift, MUTE_MS);
  }

  /** While V8 still pauses, the next caller is added. */
  function muteMore(place: Place, frames: readonly PausedFrame[]): void {
    const next = frames.findIndex((frame) => !isMuted(frame));
    if (next >= 0) {
      const count = ++place.steps > SINGLE_STEPS ? next : 1;
      place.depth = Math.max(place.depth, next + count);
      mute(frames.slice(0, next + count));
    } else if (!isCoarse) {
      // What catches it is no caller, such as a function that awaits.
      isCoarse = true;
      post('Debugger.setPauseOnExceptions', { state: 'uncaught' });
    }
  }

  function lift(): void {
    cancel = undefined;
    for (const scriptId of ranges.keys()) post('Debugger.setBlackboxedRanges', { scriptId, positions: [] });
    if (files.size > 0) post('Debugger.setBlackboxPatterns', { patterns: [] });
    if (isCoarse) post('Debugger.setPauseOnExceptions', { state: 'all' });
    ranges.clear();
    files.clear();
    isCoarse = false;
    for (const place of places.values()) [place.isMuted, place.steps] = [false, 0];
  }

  return {
    admits(frames, first) {
      const place = find(toKey(frames, first));
      if (place.left >= 1) {
        place.left--;
        return true;
      }
      if (place.isMuted) muteMore(place, frames);
      else {
        place.isMuted = true;
        onMuted(frames[first]!);
        place.depth ||= first + 1;
        mute(frames.slice(0, place.depth));
      }
      return false;
    },
    close: () => cancel?.(),
  };
}

/** The place of a throw: a library that throws for its callers has one for each of them. */
function toKey(frames: readonly PausedFrame[], first: number): string {
  return frames
    .slice(0, first + 1)
    .map(({ location: { scriptId, lineNumber, columnNumber } }) => `${scriptId}:${lineNumber}:${columnNumber}`)
    .join(' ');
}

/** Undefined for code that begins with its file: V8 has no range before it. */
function toRange(frame: PausedFrame): Range | undefined {
  const { startLocation: start, endLocation: end } = findOwnScope(frame) ?? {};
  if (!start || !end || (start.lineNumber === 0 && (start.columnNumber ?? 0) === 0)) return undefined;
  return [start, end];
}

/** Where the state changes. A function is in a range that begins before it. */
function toPositions(ranges: readonly Range[]): { lineNumber: number; columnNumber: number }[] {
  const outer = ranges.filter((range) => !ranges.some((other) => other !== range && contains(other, range)));
  return outer
    .toSorted(([one], [other]) => compare(one, other))
    .flatMap(([start, end]) => [before(start), { lineNumber: end.lineNumber, columnNumber: end.columnNumber ?? 0 }]);
}

function before({ lineNumber, columnNumber = 0 }: Position): { lineNumber: number; columnNumber: number } {
  if (columnNumber > 0) return { lineNumber, columnNumber: columnNumber - 1 };
  return { lineNumber: lineNumber - 1, columnNumber: 2 ** 31 - 1 };
}

function compare(one: Position, other: Position): number {
  return one.lineNumber - other.lineNumber || (one.columnNumber ?? 0) - (other.columnNumber ?? 0);
}

function contains(outer: Range, inner: Range): boolean {
  return compare(outer[0], inner[0]) <= 0 && compare(outer[1], inner[1]) >= 0;
}

function toPattern(url: string): string {
  return `^${url.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
}
