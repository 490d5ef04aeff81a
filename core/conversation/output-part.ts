import type { ToolResult } from '@klaus/core/protocol';

/** How much of the output of a call its event contains. */
export interface OutputPart {
  /** Lines of the complete output; undefined if the part has as many, or in a log of a version that did not count them. */
  lines: number | undefined;
  /** Bytes of the complete output. */
  bytes: number;
  /** Lines of the part. */
  shown: number;
}

/** The note in the place of what was left out, with the line breaks around it. */
const NOTE = /\n{0,2}^\[… [^\n]*\]$\n{0,2}/gm;

/** Undefined if the event contains the complete output. */
export function toOutputPart({ output, blob }: Pick<ToolResult, 'output' | 'blob'>): OutputPart | undefined {
  if (!blob) return undefined;
  const shown = output.replaceAll(NOTE, '\n').replace(/\n$/, '').split('\n').length;
  return { lines: (blob.lines ?? 0) > shown ? blob.lines : undefined, bytes: blob.size, shown };
}
