import { isObject } from '../stack/is-object.ts';
import { estimateBytes } from './estimate-bytes.ts';

/** The variables of one frame, as live references. */
export interface CapturedFrame {
  /** Absolute path, or the URL of a script that has no file. */
  filePath: string;
  /** From 1, in the code that ran. */
  line: number;
  column: number;
  functionName: string;
  /** Of the function, in the code that ran; all from 0. */
  range?: { line: number; column: number; endLine: number; endColumn: number } | undefined;
  /** As the script names it: a `data:` URL, or relative to the script. */
  sourceMapURL?: string | undefined;
  /** By name; inner scopes hide outer ones. Absent: not captured. */
  locals?: ReadonlyMap<string, unknown> | undefined;
}

export interface Capture {
  /** The innermost first. */
  frames: readonly CapturedFrame[];
  /** Why there are no variables any more. */
  note?: string;
}

/** The value of a variable before its declaration. */
export const UNINITIALIZED = Symbol('klendathu.uninitialized');

/** Captures of one place that keep their variables, and bytes of all of them: as far as they can be estimated. */
export const RING = 50;
const RING_BYTES = 64 * 2 ** 20;
/** Primitives have no identity: the last ones are remembered by value. */
const PRIMITIVES = 20;
const RECENT = 50;
const SAMPLED = 1000;

interface Kept {
  capture: WeakRef<Capture>;
  place: string;
  bytes: number;
}

interface Store {
  byError: WeakMap<object, Capture>;
  /** The oldest first. */
  recent: WeakRef<object>[];
  byValue: Map<unknown, Capture>;
  /** The oldest first. */
  kept: Kept[];
  byPlace: Map<string, Kept[]>;
  bytes: number;
  sampled: Map<string, number>;
}

const KEY = Symbol.for('klendathu.captures');

/** One for the process: compilers load this module a second time. */
function open(): Store {
  const host = globalThis as { [KEY]?: Store };
  if (!host[KEY]) {
    const value: Store = {
      byError: new WeakMap(),
      recent: [],
      byValue: new Map(),
      kept: [],
      byPlace: new Map(),
      bytes: 0,
      sampled: new Map(),
    };
    Object.defineProperty(host, KEY, { value });
  }
  return host[KEY]!;
}

/** What was captured when the value was thrown first. */
export function findCapture(error: unknown): Capture | undefined {
  return isObject(error) ? open().byError.get(error) : open().byValue.get(error);
}

/** The newest captured error that matches, for callers that have only a copy of it. */
export function findCaptured(accept: (error: object) => boolean): object | undefined {
  return open()
    .recent.toReversed()
    .map((ref) => ref.deref())
    .find((error) => error !== undefined && accept(error));
}

export function keepCapture(error: unknown, frames: readonly CapturedFrame[]): void {
  const store = open();
  const capture: Capture = { frames };
  if (isObject(error)) {
    if (store.byError.has(error)) return;
    store.byError.set(error, capture);
    store.recent.push(new WeakRef(error));
    if (store.recent.length > RECENT) store.recent.shift();
  } else {
    store.byValue.delete(error);
    store.byValue.set(error, capture);
    if (store.byValue.size > PRIMITIVES) store.byValue.delete(store.byValue.keys().next().value);
  }
  bound(store, capture);
}

/** Primitives, and places whose errors were sampled. */
export function forget(): void {
  open().byValue.clear();
  open().sampled.clear();
}

/** A place of which not all errors are captured. */
export function keepSampled(filePath: string, line: number): void {
  const { sampled } = open();
  if (sampled.has(filePath) || sampled.size < SAMPLED) sampled.set(filePath, line);
}

/** Lines of places of which not all errors were captured, by file. */
export function listSampled(): ReadonlyMap<string, number> {
  return open().sampled;
}

/** Gives up the variables of the oldest captures at the same place, and of all, if they are too many or too large. */
function bound(store: Store, capture: Capture): void {
  const [top] = capture.frames;
  const place = `${top?.filePath}:${top?.line}:${top?.column}`;
  const bytes = capture.frames.reduce((sum, { locals }) => sum + (locals ? estimateBytes(locals.values()) : 0), 0);
  const own: Kept = { capture: new WeakRef(capture), place, bytes };
  const same = store.byPlace.get(place) ?? [];
  if (same.length === 0) store.byPlace.set(place, same);
  same.push(own);
  store.kept.push(own);
  store.bytes += bytes;
  if (same.length > RING) drop(store, same[0]!, `${RING} later errors were thrown at the same place`);
  if (store.bytes <= RING_BYTES && store.kept.length < RING * 100) return;
  for (const one of store.kept.filter(({ capture: ref }) => ref.deref() === undefined)) drop(store, one, '');
  while (store.bytes > RING_BYTES && store.kept.length > 1)
    drop(store, store.kept[0]!, `the variables of later errors take ${RING_BYTES / 2 ** 20} MB`);
}

function drop(store: Store, one: Kept, reason: string): void {
  store.bytes -= one.bytes;
  remove(store.kept, one);
  const same = store.byPlace.get(one.place)!;
  remove(same, one);
  if (same.length === 0) store.byPlace.delete(one.place);
  const capture = one.capture.deref();
  if (!capture) return;
  capture.frames = capture.frames.map(({ locals: _, ...frame }) => frame);
  capture.note = `Its variables are not kept any more: ${reason}.`;
}

function remove<T>(list: T[], one: T): void {
  const index = list.indexOf(one);
  if (index >= 0) list.splice(index, 1);
}
