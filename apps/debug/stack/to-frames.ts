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
  const parsed = parseStack(readStack(error) ?? '').map(toOriginal);
  const captured = findCapture(error)?.frames ?? [];
  const sync = captured.map(({ locals, ...raw }) => ({ raw: toOriginal<RawFrame>(raw), locals }));
  const rest = parsed.filter(({ isAsync }) => captured.length === 0 || isAsync === true);
  return [...sync, ...rest.map((raw) => ({ raw, locals: undefined }))].slice(0, MOST).map(({ raw, locals }) => ({
    frame: toStackFrame(raw, locals !== undefined),
    locals,
  }));
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
