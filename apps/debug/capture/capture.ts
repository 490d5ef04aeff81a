import { isObject } from '../stack/is-object.ts';

/** The variables of one frame, as live references. */
export interface CapturedFrame {
  /** Absolute path, or the URL of a script that has no file. */
  filePath: string;
  /** From 1, in the code that ran. */
  line: number;
  column: number;
  functionName: string;
  /** As the script names it: a `data:` URL, or relative to the script. */
  sourceMapURL?: string | undefined;
  /** By name; inner scopes hide outer ones. Absent: not captured. */
  locals?: ReadonlyMap<string, unknown>;
}

export interface Capture {
  /** The innermost first. */
  frames: readonly CapturedFrame[];
}

/** Primitives have no identity: the last ones are remembered by value. */
const PRIMITIVES = 20;
const byError = new WeakMap<object, Capture>();
/** The oldest first. */
const recent: WeakRef<object>[] = [];
const RECENT = 50;
const byValue = new Map<unknown, Capture>();

/** What was captured when the value was thrown first. */
export function findCapture(error: unknown): Capture | undefined {
  return isObject(error) ? byError.get(error) : byValue.get(error);
}

/** The newest captured error that matches, for callers that have only a copy of it. */
export function findCaptured(accept: (error: object) => boolean): object | undefined {
  return recent
    .toReversed()
    .map((ref) => ref.deref())
    .find((error) => error !== undefined && accept(error));
}

export function keepCapture(error: unknown, capture: Capture): void {
  if (isObject(error)) {
    if (byError.has(error)) return;
    byError.set(error, capture);
    recent.push(new WeakRef(error));
    if (recent.length > RECENT) recent.shift();
    return;
  }
  byValue.delete(error);
  byValue.set(error, capture);
  if (byValue.size > PRIMITIVES) byValue.delete(byValue.keys().next().value);
}

export function forgetPrimitives(): void {
  byValue.clear();
}
