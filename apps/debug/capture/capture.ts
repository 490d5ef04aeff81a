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
const byValue = new Map<unknown, Capture>();

/** What was captured when the value was thrown first. */
export function findCapture(error: unknown): Capture | undefined {
  return isObject(error) ? byError.get(error) : byValue.get(error);
}

export function keepCapture(error: unknown, capture: Capture): void {
  if (isObject(error)) {
    if (!byError.has(error)) byError.set(error, capture);
    return;
  }
  byValue.delete(error);
  byValue.set(error, capture);
  if (byValue.size > PRIMITIVES) byValue.delete(byValue.keys().next().value);
}

export function forgetPrimitives(): void {
  byValue.clear();
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
