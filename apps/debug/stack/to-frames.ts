import { findCapture } from '../capture/capture.ts';
import type { StackFrame } from '../contract/index.ts';
import { isUserFile, parseStack, type RawFrame } from './parse-stack.ts';
import { isObject } from './is-object.ts';
import { readOwn, readStack } from './read-stack.ts';
import { toOriginalNames } from './original-names.ts';
import { toOriginal, toPrintedOriginal } from './source-map.ts';

/** A frame, with its variables if they were captured. */
export interface ErrorFrame {
  frame: StackFrame;
  locals: ReadonlyMap<string, unknown> | undefined;
}

const MOST = 100;
/** Errors inside of an error. */
const INNER = 10;

interface Found {
  raw: RawFrame;
  locals?: ReadonlyMap<string, unknown> | undefined;
}

/**
 * The frames of an error, the innermost first, at positions of the sources that the user wrote; then those of its cause,
 * and of the errors of an `AggregateError`. Synchronous frames are those of the throw, if it was captured; callers across
 * an `await` come from the stack of the error.
 */
export function toFrames(error: unknown): ErrorFrame[] {
  return listErrors(error)
    .flatMap(({ error: one, path }) => withoutAssertions(findFrames(one)).map((found) => ({ ...found, path })))
    .slice(0, MOST)
    .map(({ raw, locals, path }) => ({ frame: toStackFrame(raw, locals !== undefined, path), locals }));
}

/** Libraries whose functions throw what a test asserts. */
const ASSERTIONS =
  /^node:(?:internal\/)?assert|[\\/]node_modules[\\/](?:chai|expect|vitest|should|unexpected|power-assert|@vitest[\\/]expect|@jest[\\/]expect[^\\/]*|playwright[\\/]lib[\\/](?:matchers|common[\\/]expect)[^\\/]*)(?:[\\/]|$)/;

/** The first frame is that of the assertion in the test, not of the library that compares. */
function withoutAssertions(frames: readonly Found[]): readonly Found[] {
  const first = frames.findIndex(({ raw }) => !ASSERTIONS.test(raw.filePath));
  return first > 0 ? frames.slice(first) : frames;
}

/** The error, its causes and the errors in it, each once. Their paths: `error.cause`, `error.errors[0]`. */
export function listErrors(root: unknown): { error: unknown; path: string }[] {
  const found = [{ error: root, path: 'error' }];
  for (let at = 0; at < found.length && found.length < INNER; at++) {
    const { error, path } = found[at]!;
    if (!isObject(error)) continue;
    const errors = readOwn(error, 'errors');
    const inner = [
      { error: readOwn(error, 'cause'), path: `${path}.cause` },
      ...(Array.isArray(errors) ? takeElements(errors) : []).map((one, index) => ({
        error: one,
        path: `${path}.errors[${index}]`,
      })),
    ];
    for (const one of inner)
      if (one.error !== undefined && one.error !== null && !found.some((other) => other.error === one.error))
        found.push(one);
  }
  return found;
}

/** Without running code: an element may be an accessor. */
function takeElements(list: readonly unknown[]): unknown[] {
  const own = (index: number): unknown => Reflect.getOwnPropertyDescriptor(list, index)?.value;
  return Array.from({ length: Math.min(list.length, INNER) }, (_, index) => own(index));
}

function findFrames(error: unknown): Found[] {
  const captured = (findCapture(error)?.frames ?? []).map((frame) => toOriginalNames(frame));
  const parsed = parseStack(readStack(error) ?? '').map((frame) => toPrintedOriginal(frame));
  const printed = findPrinted(captured, parsed);
  const sync = captured.map(({ locals, sourceMapURL, range: _, ...raw }, index): Found => ({
    raw: printed[index] ?? toOriginal<RawFrame>(raw, sourceMapURL),
    locals,
  }));
  const rest = parsed.filter(({ isAsync }) => captured.length === 0 || isAsync === true);
  return [...sync, ...rest.map((raw) => ({ raw }))];
}

/**
 * The frames as the stack prints them, where a test runner or a loader that compiles prints the positions of the
 * sources: only it knows them. Empty if the stack does not show the frames of the throw.
 */
function findPrinted(captured: readonly RawFrame[], parsed: readonly RawFrame[]): RawFrame[] {
  if (typeof Error.prepareStackTrace !== 'function') return [];
  const sync = parsed.filter(({ isAsync }) => isAsync !== true);
  const count = Math.min(captured.length, sync.length);
  const isSame = sync.slice(0, count).every((frame, index) => toName(frame) === toName(captured[index]!));
  return count > 0 && isSame ? sync.slice(0, count) : [];
}

/** The name of a function without its class. */
export function toName({ functionName = '' }: RawFrame): string {
  return functionName.replace(/^new |<anonymous>/, '').replace(/^.*\./, '');
}

function toStackFrame(
  { filePath, line, column, functionName, isAsync }: RawFrame,
  hasLocals: boolean,
  path: string,
): StackFrame {
  return {
    filePath,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(functionName === undefined || functionName === '' ? {} : { functionName }),
    isUser: isUserFile(filePath),
    ...(hasLocals ? { hasLocals } : {}),
    ...(isAsync === true ? { isAsync } : {}),
    ...(path === 'error' ? {} : { of: path }),
  };
}
