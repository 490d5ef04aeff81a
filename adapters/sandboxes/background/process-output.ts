import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessOutput } from '@klaus/core/agent';
import { toCharacterEnd } from '../process/output-capture.ts';
import { list } from './process-files.ts';

const MAX_BYTES = 60_000;
const NEWLINE = 0x0a;

interface Segment {
  from: number;
  size: number;
  file: string;
}

/** Bytes written so far, those that were dropped included. */
export function countOutput(folder: string): number {
  const last = listSegments(folder).at(-1);
  return last ? last.from + last.size : 0;
}

/** A stretch of the output; bytes that are no UTF-8 become U+FFFD, and no character is cut. */
export function readOutput(
  folder: string,
  options: { from: number; maxBytes?: number; lines?: boolean },
): ProcessOutput {
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const segments = listSegments(folder);
  const total = countOutput(folder);
  let at = Math.min(Math.max(0, Math.floor(options.from)), total);
  const first = segments.find((segment) => segment.from + segment.size > at);
  if (first) at = Math.max(at, first.from);
  const from = at;
  const chunks: Uint8Array[] = [];
  for (const segment of segments) {
    const left = maxBytes - (at - from);
    // What was dropped lies between two files: a stretch never reaches over it.
    if (left <= 0 || segment.from > at) break;
    if (segment.from + segment.size <= at) continue;
    const chunk = readBytes(segment.file, at - segment.from, Math.min(left, segment.from + segment.size - at));
    if (chunk.length === 0) break;
    chunks.push(chunk);
    at += chunk.length;
  }
  const bytes = Buffer.concat(chunks);
  const isLong = bytes.length >= maxBytes && !bytes.includes(NEWLINE);
  const end = options.lines && !isLong ? bytes.lastIndexOf(NEWLINE) + 1 : toCharacterEnd(bytes);
  if (options.lines && end === 0 && !isLong) return { text: '', from, next: from };
  // A stretch that is one broken character is given as it is: the next read must come further.
  const whole = end > 0 ? bytes.subarray(0, end) : bytes;
  return { text: new TextDecoder().decode(whole), from, next: from + whole.length };
}

function listSegments(folder: string): Segment[] {
  return list(folder)
    .flatMap((name) => {
      const offset = /^output\.(\d+)$/.exec(name)?.[1];
      const file = join(folder, name);
      const size = offset === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [{ from: Number(offset), size, file }];
    })
    .sort((a, b) => a.from - b.from);
}

function readBytes(file: string, position: number, length: number): Uint8Array {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    // Dropped a moment ago.
    return new Uint8Array(0);
  }
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, { position }));
  } finally {
    closeSync(descriptor);
  }
}
