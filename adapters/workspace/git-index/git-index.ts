import { createHash } from 'node:crypto';
import type { IndexChange, IndexDifference, IndexEntry } from '@klaus/core/agent';
import { hasForgedTrees } from './tree-cache.ts';
import {
  BLOB_AT,
  EXTENDED,
  FIXED,
  FLAGS_AT,
  HASH_BYTES,
  MODE_AT,
  type PlainIndex,
  toNameAt,
  toPlainIndex,
} from './plain-index.ts';

/** Type of a nested repository's commit in the mode of an entry. */
const GITLINK = 0o16;
const ASSUME_UNCHANGED = 0x80_00;
const SKIP_WORKTREE = 0x40_00;
/** Entries that are compared at once. */
const BLOCK = 64;

const NO_ENTRIES = new Uint32Array(0);
const EMPTY: PlainIndex = {
  data: Buffer.alloc(0),
  count: 0,
  starts: NO_ENTRIES,
  nameEnds: NO_ENTRIES,
  extensions: Buffer.alloc(0),
};

/**
 * The entries of a Git index; a path with a conflict has several. Git itself is not used, because in a repository that an
 * agent can write it may run programs.
 *
 * @returns Undefined unless the bytes are a complete index of version 2, 3 or 4 with SHA-1 names.
 * @source https://git-scm.com/docs/index-format
 */
export function toIndexEntries(bytes: Uint8Array): (IndexEntry & { isGitlink: boolean })[] | undefined {
  const index = toPlainIndex(bytes);
  if (!index) return undefined;
  return Array.from({ length: index.count }, (_, i) => {
    const isGitlink = index.data.readUInt32BE(index.starts[i]! + MODE_AT) >>> 12 === GITLINK;
    return { ...toEntry(index, i), isGitlink };
  });
}

/**
 * Compares an index with a former one. Undefined if the index cannot be read; then a command of Git has to. An unreadable
 * former index counts as empty.
 */
export function compareIndexes(before: Uint8Array | undefined, after: Uint8Array): IndexDifference | undefined {
  const now = toPlainIndex(after);
  if (!now) return undefined;
  const then = (before && toPlainIndex(before)) ?? EMPTY;
  const changes: IndexChange[] = [];
  let at = 0;
  for (let i = 0; i < now.count; i++) {
    if (i % BLOCK === 0) for (; isSameBlock(then, at, { index: now, at: i }); i += BLOCK) at += BLOCK;
    let order = -1;
    while (at < then.count && (order = compareNames(then, at, { index: now, at: i })) < 0) at++;
    const old = at < then.count && order === 0 ? at++ : undefined;
    if (old !== undefined && isSameEntry(then, old, { index: now, at: i })) continue;
    changes.push({ ...toEntry(now, i), ...(old === undefined ? {} : { before: toEntry(then, old) }) });
  }
  return { changes, isForged: hasForgedTrees(now) };
}

/**
 * An index with some entries as in a former one, or without them, and without some flags. Extensions, which only make
 * Git faster, are left out.
 *
 * @param edits.restored Paths of entries to restore. @param edits.unflagged Paths whose flags are cleared.
 * @returns Undefined if the index cannot be read.
 */
export function repairIndex(
  { before, after }: { before: Uint8Array | undefined; after: Uint8Array },
  { restored, unflagged }: { restored: ReadonlySet<string>; unflagged: ReadonlySet<string> },
): Uint8Array | undefined {
  const now = toPlainIndex(after);
  if (!now) return undefined;
  const then = (before && toPlainIndex(before)) ?? EMPTY;
  const records: IndexRecord[] = [];
  for (let i = 0; i < now.count; i++) {
    const path = nameOf(now, i).toString('utf8');
    if (!restored.has(path)) records.push(toRecord(now, i, unflagged.has(path)));
  }
  for (let i = 0; restored.size > 0 && i < then.count; i++)
    if (restored.has(nameOf(then, i).toString('utf8'))) records.push(toRecord(then, i, true));
  records.sort((a, b) => Buffer.compare(a.name, b.name) || stageOf(a.fixed) - stageOf(b.fixed));
  const isExtended = records.some(({ extended }) => extended !== 0);
  const header = Buffer.alloc(12);
  header.write('DIRC', 'latin1');
  header.writeUInt32BE(isExtended ? 3 : 2, 4);
  header.writeUInt32BE(records.length, 8);
  const body = Buffer.concat([header, ...records.flatMap(writeRecord)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

interface IndexRecord {
  fixed: Buffer;
  extended: number;
  name: Buffer;
}

function toRecord(index: PlainIndex, at: number, clears: boolean): IndexRecord {
  const { data } = index;
  const start = index.starts[at]!;
  const fixed = Buffer.from(data.subarray(start, start + FIXED));
  const flags = fixed.readUInt16BE(FLAGS_AT);
  let extended = (flags & EXTENDED) === 0 ? 0 : data.readUInt16BE(start + FIXED);
  if (clears) extended &= ~SKIP_WORKTREE;
  const kept = clears ? flags & ~ASSUME_UNCHANGED : flags;
  fixed.writeUInt16BE((kept & ~EXTENDED) | (extended === 0 ? 0 : EXTENDED), FLAGS_AT);
  return { fixed, extended, name: nameOf(index, at) };
}

function writeRecord({ fixed, extended, name }: IndexRecord): Buffer[] {
  const more = Buffer.alloc(extended === 0 ? 0 : 2);
  if (extended !== 0) more.writeUInt16BE(extended);
  const length = fixed.length + more.length + name.length;
  return [fixed, more, name, Buffer.alloc(8 - (length % 8))];
}

function stageOf(fixed: Buffer): number {
  return (fixed.readUInt16BE(FLAGS_AT) >>> 12) & 3;
}

function toEntry(index: PlainIndex, at: number): IndexEntry {
  const { data } = index;
  const start = index.starts[at]!;
  const flags = data.readUInt16BE(start + FLAGS_AT);
  const extended = (flags & EXTENDED) === 0 ? 0 : data.readUInt16BE(start + FIXED);
  return {
    path: nameOf(index, at).toString('utf8'),
    mode: data.readUInt32BE(start + MODE_AT).toString(8),
    blob: data.toString('hex', start + BLOB_AT, start + BLOB_AT + HASH_BYTES),
    stage: (flags >>> 12) & 3,
    isHidden: (flags & ASSUME_UNCHANGED) !== 0 || (extended & SKIP_WORKTREE) !== 0,
  };
}

function nameOf({ data, starts, nameEnds }: PlainIndex, at: number): Buffer {
  return data.subarray(toNameAt(data, starts[at]!), nameEnds[at]);
}

/** An entry of another index. */
type Other = { index: PlainIndex; at: number };

/** True if the next entries of both are the same bytes: most of a large index is unchanged. */
function isSameBlock(a: PlainIndex, from: number, { index: b, at }: Other): boolean {
  if (from + BLOCK >= a.count || at + BLOCK >= b.count) return false;
  const [first, last] = [a.starts[from], a.starts[from + BLOCK]];
  return a.data.compare(b.data, b.starts[at], b.starts[at + BLOCK], first, last) === 0;
}

/** The order of two entries in an index: by name, then by stage. */
function compareNames(a: PlainIndex, one: number, { index: b, at }: Other): number {
  const [nameAt, other] = [toNameAt(a.data, a.starts[one]!), toNameAt(b.data, b.starts[at]!)];
  const order = a.data.compare(b.data, other, b.nameEnds[at], nameAt, a.nameEnds[one]);
  return order || toStage(a, one) - toStage(b, at);
}

function toStage({ data, starts }: PlainIndex, at: number): number {
  return (data[starts[at]! + FLAGS_AT]! >>> 4) & 3;
}

/** True for the same mode, blob and flags. Times are not compared: Git updates them. */
function isSameEntry(a: PlainIndex, one: number, { index: b, at }: Other): boolean {
  const [start, other] = [a.starts[one]!, b.starts[at]!];
  const compare = (from: number, to: number): boolean =>
    a.data.compare(b.data, other + from, other + to, start + from, start + to) === 0;
  return compare(MODE_AT, MODE_AT + 4) && compare(BLOB_AT, toNameAt(a.data, start) - start);
}
