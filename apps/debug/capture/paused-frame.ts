import type { RemoteValue } from '../inspector/inspector.ts';

/** A position as the inspector gives it, all from 0. */
export interface Position {
  scriptId: string;
  lineNumber: number;
  columnNumber?: number;
}

/** A frame of a pause, as the inspector gives it. */
export interface PausedFrame {
  functionName: string;
  functionLocation?: Position;
  location: Position;
  url: string;
  scopeChain: { type: string; object: RemoteValue; startLocation?: Position; endLocation?: Position }[];
  this: RemoteValue;
}

/** The scope of a function itself, which has its range. */
export function findOwnScope({ scopeChain }: PausedFrame): PausedFrame['scopeChain'][number] | undefined {
  return scopeChain.find(({ type }) => type === 'local');
}
