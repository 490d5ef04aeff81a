import { findCapture } from '../capture/capture.ts';
import type { StackFrame } from '../contract/index.ts';
import { isUserFile, parseStack, type RawFrame } from './parse-stack.ts';
import { readStack } from './read-stack.ts';
import { toOriginal } from './source-map.ts';

/** A frame, with its variables if they were captured. */
export interface ErrorFrame {
  frame: StackFrame;
  locals: ReadonlyMap<string, unknown> | undefined;
}

const MOST = 100;

/**
 * The frames of an error, the innermost first, at positions of the sources that the user wrote. Synchronous frames are
 * those of the throw, if it was captured; callers across an `await` come from the stack of the error.
 */
export function toFrames(error: unknown): ErrorFrame[] {
  const parsed = parseStack(readStack(error) ?? '').map((frame) => toOriginal(frame));
  const captured = findCapture(error)?.frames ?? [];
  const printed = findPrinted(captured, parsed);
  const sync = captured.map(({ locals, sourceMapURL, ...raw }, index) => ({
    raw: printed[index] ?? toOriginal<RawFrame>(raw, sourceMapURL),
    locals,
  }));
  const rest = parsed.filter(({ isAsync }) => captured.length === 0 || isAsync === true);
  return [...sync, ...rest.map((raw) => ({ raw, locals: undefined }))].slice(0, MOST).map(({ raw, locals }) => ({
    frame: toStackFrame(raw, locals !== undefined),
    locals,
  }));
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
function toName({ functionName = '' }: RawFrame): string {
  return functionName.replace(/^new |<anonymous>/, '').replace(/^.*\./, '');
}

function toStackFrame({ filePath, line, column, functionName, isAsync }: RawFrame, hasLocals: boolean): StackFrame {
  return {
    filePath,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(functionName === undefined || functionName === '' ? {} : { functionName }),
    isUser: isUserFile(filePath),
    ...(hasLocals ? { hasLocals } : {}),
    ...(isAsync === true ? { isAsync } : {}),
  };
}
