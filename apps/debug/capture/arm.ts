import { clearTimeout, setTimeout } from 'node:timers';
import { readClock } from '../inspector/bounded.ts';
import { openInspector, toPrimitive, type Inspector, type RemoteValue } from '../inspector/inspector.ts';
import { toFingerprint } from '../stack/fingerprint.ts';
import { toFilePath } from '../stack/parse-stack.ts';
import { findCapture, forget, keepCapture, keepSampled, UNINITIALIZED, type CapturedFrame } from './capture.ts';
import { joinNewRealms } from './join-realm.ts';
import { findOwnScope, type PausedFrame } from './paused-frame.ts';
import { createSampling, type Sampling } from './sampling.ts';
import { selectFrames, type PackageFrames } from './select-frames.ts';
import { SINK } from './sink.ts';

export interface ArmOptions {
  /** Also exceptions that are caught. Default true: what `catch` passes to `investigate` was caught. */
  caught?: boolean;
  /** What is kept in addition to the frames of the project. Default: `{ packages: 'path' }`. */
  capture?: { packages?: PackageFrames };
  /** Frames whose variables are kept. Default 20. */
  maxFrames?: number;
  /** Variables of one frame. Default 200. */
  maxLocals?: number;
  /**
   * Of errors that are thrown and caught at one place more than 30 times in a short time, only some are captured. Default
   * true. False, and with `accept`: all, each of which takes about half a millisecond.
   */
  sample?: boolean;
  /** Captures after which the debugger is switched off again. Default: no limit. */
  maxCaptures?: number;
  /** True for the errors whose variables are kept. Default: all. */
  accept?: ((error: unknown) => boolean) | undefined;
}

export interface Armed {
  /** Switches the debugger off. Captured variables stay as long as their errors. */
  disarm(): void;
}

const host = globalThis as { [SINK]?: (values: unknown[]) => void };
const TO_SINK = "function (...values) { globalThis[Symbol.for('klendathu.capture')](values); }";
/** Not the hidden variables of the compiler. */
const NAME = /^[A-Za-z_$\u0080-\uffff]/;
/** Scopes of a frame that hold variables of the program. */
const SCOPES = new Set(['local', 'closure', 'block', 'catch', 'module', 'eval', 'with', 'script']);
const NOT_CAPTURED = new Set(['exports', 'require', 'module', '__filename', '__dirname', 'arguments']);

interface ScriptPlace {
  url: string;
  sourceMapURL?: string;
}

interface State {
  count: number;
  disarm: () => void;
  maxFrames: number;
  maxLocals: number;
  packages: PackageFrames;
  accept: ArmOptions['accept'];
  sampling: Sampling | undefined;
}

let armed: State | undefined;

/**
 * Keeps the variables of each frame from now on when an error is thrown, as live references. Costs while it is on: up to
 * 3 ms a throw, of which those of one place that throws often are sampled, and code with many `await` becomes about ten
 * times slower. For tests, and for errors that are awaited. One at a time: a second call replaces the options of the
 * first.
 */
export function arm({
  caught = true,
  capture: { packages = 'path' } = {},
  maxFrames = 20,
  maxLocals = 200,
  sample = true,
  maxCaptures = Infinity,
  accept,
}: ArmOptions = {}): Armed {
  armed?.disarm();
  forget();
  const inspector = openInspector();
  const urls = new Map<string, ScriptPlace>();
  const sampling =
    sample && !accept && caught
      ? createSampling({
          post: inspector.post,
          urlOf: (scriptId) => urls.get(scriptId)?.url,
          onMuted(frame) {
            const { filePath, line } = toPlace(frame, urls);
            keepSampled(filePath, line);
          },
          now: readClock,
          later(run, ms) {
            const timer = setTimeout(run, ms).unref();
            return () => clearTimeout(timer);
          },
        })
      : undefined;
  const state: State = { count: 0, disarm, maxFrames, maxLocals, packages, accept, sampling };
  const leaveRealms = joinNewRealms();
  let isPausing = false;
  inspector.session.on(
    'Debugger.scriptParsed',
    ({ params: { scriptId, url, sourceMapURL } }) =>
      void urls.set(scriptId, { url, ...(sourceMapURL ? { sourceMapURL } : {}) }),
  );
  inspector.session.on('Debugger.paused', ({ params }) => {
    // A pause reaches every session, also one that is about to close.
    if (armed !== state) return;
    isPausing = true;
    try {
      const { callFrames, data, reason } = params as unknown as {
        callFrames: PausedFrame[];
        data?: RemoteValue;
        reason: string;
      };
      if (data && (reason === 'exception' || reason === 'promiseRejection'))
        take(inspector, { callFrames, data, urls, state });
    } catch {
      // A failure here must not change what the program does.
    } finally {
      inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'backtrace' });
      inspector.post('Debugger.resume');
    }
    if (state.count >= maxCaptures) disarm();
    isPausing = false;
  });
  inspector.call('Debugger.enable');
  inspector.call('Debugger.setPauseOnExceptions', { state: caught ? 'all' : 'uncaught' });
  armed = state;
  function disarm(): void {
    if (armed !== state) return;
    armed = undefined;
    sampling?.close();
    leaveRealms();
    delete host[SINK];
    if (!isPausing) return inspector.close();
    // Not inside the event of a pause: the program would stay in the pause.
    inspector.post('Debugger.setPauseOnExceptions', { state: 'none' });
    setImmediate(() => inspector.close()).unref();
  }
  return { disarm };
}

/**
 * Keeps the variables of the next error with this fingerprint, then switches the debugger off.
 *
 * @param fingerprint 16 hexadecimal digits, of a `DebugServer` or of a `DebugRecord`.
 */
export function armFor(fingerprint: string): Armed {
  return arm({ maxCaptures: 1, accept: (error) => toFingerprint(error) === fingerprint });
}

export function isArmed(): boolean {
  return armed !== undefined;
}

interface Paused {
  callFrames: PausedFrame[];
  data: RemoteValue;
  urls: ReadonlyMap<string, ScriptPlace>;
  state: State;
}

function take(inspector: Inspector, { callFrames, data, urls, state }: Paused): void {
  const { maxFrames, maxLocals, packages, accept, sampling } = state;
  const places = callFrames.map((frame) => toPlace(frame, urls));
  const files = places.map(({ filePath }) => filePath);
  const chosen = selectFrames(files, { maxFrames, packages });
  // Errors that the runtime throws and catches itself.
  if (chosen.size === 0) return;
  if (sampling && !sampling.admits(callFrames, Math.min(...chosen))) return;
  const isPrimitive = data.objectId === undefined;
  if (accept && !accept(isPrimitive ? toPrimitive(data) : readLive(inspector, [[data]])[0]?.[0])) return;
  const shown = callFrames.map((frame, index) => (chosen.has(index) ? toRemotes(frame) : undefined));
  const [thrown, ...groups] = readLive(inspector, [[data], ...shown.map((remotes) => remotes ?? [])]);
  // An error of a realm that has not joined.
  if (!thrown) return;
  const [error] = thrown;
  // Thrown again: the first throw is that of the bug.
  if (!isPrimitive && findCapture(error)) return;
  const frames = places.map((place, index): CapturedFrame => {
    const live = shown[index] && groups[index];
    return live ? { ...place, locals: readLocals(live, callFrames[index]!, maxLocals) } : place;
  });
  keepCapture(error, frames);
  state.count++;
}

function toPlace(frame: PausedFrame, urls: ReadonlyMap<string, ScriptPlace>): CapturedFrame {
  const { functionName, location, url } = frame;
  const script = urls.get(location.scriptId);
  return {
    // Code of eval has no file.
    filePath: toFilePath(url || script?.url || '<anonymous>'),
    line: location.lineNumber + 1,
    column: (location.columnNumber ?? 0) + 1,
    functionName,
    ...(script?.sourceMapURL === undefined ? {} : { sourceMapURL: script.sourceMapURL, range: toRange(frame) }),
  };
}

/** Only code with a source map needs it. */
function toRange(frame: PausedFrame): CapturedFrame['range'] {
  const { startLocation: start, endLocation: end } = findOwnScope(frame) ?? {};
  if (!start || !end) return undefined;
  const [column = 0, endColumn = 0] = [start.columnNumber, end.columnNumber];
  return { line: start.lineNumber, column, endLine: end.lineNumber, endColumn };
}

/** The scopes of a frame, the innermost first, and `this` at the end. */
function toRemotes({ scopeChain, this: self }: PausedFrame): RemoteValue[] {
  return [...scopeChain.filter(({ type }) => SCOPES.has(type)).map(({ object }) => object), self];
}

function readLocals(
  live: readonly unknown[],
  { this: self, functionName }: PausedFrame,
  maxLocals: number,
): Map<string, unknown> {
  const locals = new Map<string, unknown>();
  for (const scope of live.slice(0, -1) as object[])
    for (const name of Reflect.ownKeys(scope)) {
      if (locals.size >= maxLocals) break;
      if (typeof name !== 'string' || locals.has(name) || NOT_CAPTURED.has(name) || !NAME.test(name)) continue;
      locals.set(name, readVariable(scope, name));
    }
  if (self.objectId === undefined ? functionName !== '' : self.className !== 'global') locals.set('this', live.at(-1));
  return locals;
}

function readVariable(scope: object, name: string): unknown {
  try {
    return (scope as Record<string, unknown>)[name];
  } catch {
    return UNINITIALIZED;
  }
}

/**
 * The objects themselves, in one call for each realm: a call costs a tenth of a millisecond. Undefined for a group with
 * objects of a realm that has not joined.
 */
function readLive(inspector: Inspector, groups: readonly (readonly RemoteValue[])[]): (unknown[] | undefined)[] {
  const ids = new Map<string, string[]>();
  for (const { objectId } of groups.flat())
    if (objectId !== undefined) {
      const realm = toRealm(objectId);
      const listed = ids.get(realm);
      if (listed) listed.push(objectId);
      else ids.set(realm, [objectId]);
    }
  const live = new Map<string, unknown>();
  for (const listed of ids.values()) {
    host[SINK] = (values) => {
      for (let at = 0; at < listed.length; at++) live.set(listed[at]!, values[at]);
    };
    inspector.post('Runtime.callFunctionOn', {
      objectId: listed[0],
      functionDeclaration: TO_SINK,
      arguments: listed.map((objectId) => ({ objectId })),
      silent: true,
    });
  }
  return groups.map((group) =>
    group.every(({ objectId }) => objectId === undefined || live.has(objectId))
      ? group.map((remote) => (remote.objectId === undefined ? toPrimitive(remote) : live.get(remote.objectId)))
      : undefined,
  );
}

/** An id is `isolate.realm.number`. */
function toRealm(objectId: string): string {
  return objectId.slice(0, objectId.lastIndexOf('.'));
}
