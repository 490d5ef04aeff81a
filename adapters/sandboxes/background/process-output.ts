import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessOutput } from '@klaus/core/agent';
import { toCharacterEnd } from '../process/output-capture.ts';
import { listNames } from '@klaus/adapters/system';

const MAX_BYTES = 60_000;
const NEWLINE = 0x0a;

interface Segment {
  from: number;
  size: number;
  file: string;
}

/** Number of bytes written so far, including dropped ones. */
export function countOutput(folder: string): number {
  const last = listSegments(folder).at(-1);
  return last ? last.from + last.size : 0;
}

/** Reads a part of the output. Invalid UTF-8 becomes U+FFFD, and no character is split. */
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
    // Dropped output lies between two files, and a result never spans it.
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
  // A result must not be empty because of an incomplete character, so that the next read makes progress.
  const complete = end > 0 ? bytes.subarray(0, end) : bytes;
  return { text: new TextDecoder().decode(complete), from, next: from + complete.length };
}

function listSegments(folder: string): Segment[] {
  return listNames(folder)
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
    // It has just been dropped.
    return new Uint8Array(0);
  }
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, { position }));
  } finally {
    closeSync(descriptor);
  }
}
